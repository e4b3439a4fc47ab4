/* SPDX-License-Identifier: BSD-3-Clause */
/* loaded-object.c - the C library's look-up, or a table of our own. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/sys.h"
#include "collect/registry.h"
#include "collect/unwind/loaded-object.h"
#include "collect/unwind/safe-read.h"

enum {
	OBJECTS = 2048,
	HEADERS = 64, /* program headers of one */
};

struct table { /* by their start */
	uint32_t count;
	uint32_t generation; /* of code, when the list was read */
	const struct link_map *end;
	struct loaded_object at[OBJECTS];
};

typedef int libc_look(void *pc, void *object);

/*
 * Mutable: set by the constructor, but for what comes later.  A table is read
 * while the other one is written; who reads looks at `written` again.
 */
static struct {
	libc_look *libc;
	struct table *lasting, *later; /* two */
	uint32_t written;              /* how often one of `later` was */
	uint32_t writer;               /* process; 0: none */
	struct safe_read reader;       /* the writer's */
} objects;

SIGSAFE static bool find_object_in_table(const struct table *t, uintptr_t pc,
					 struct loaded_object *to)
{
	uint32_t low = 0, high = t->count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (t->at[middle].start <= pc)
			low = middle;
		else
			high = middle;
	}
	if (low == high || pc < t->at[low].start || pc >= t->at[low].end)
		return false;
	*to = t->at[low];
	return true;
}

/* What the loader maps for it: false, it is none, or none any more. */
SIGSAFE static bool read_segments(struct loaded_object *to,
				  const struct link_map *map,
				  struct safe_read *reader, uintptr_t headers,
				  uint32_t count)
{
	bool is_its_own = false;

	to->start = UINTPTR_MAX;
	for (uint32_t i = 0; i < count; i++) {
		ElfW(Phdr) segment;
		uintptr_t at;

		if (!safe_read_copy(reader, &segment,
				    headers + i * sizeof(segment),
				    sizeof(segment)))
			return false;
		at = map->l_addr + segment.p_vaddr;
		if (segment.p_type == PT_LOAD && at < to->start)
			to->start = at;
		if (segment.p_type == PT_LOAD && at + segment.p_memsz > to->end)
			to->end = at + segment.p_memsz;
		if (segment.p_type == PT_GNU_EH_FRAME)
			to->eh_frame = at;
		if (segment.p_type == PT_DYNAMIC)
			is_its_own = at == (uintptr_t)map->l_ld;
	}
	return is_its_own && to->start < to->end;
}

/* All but the program begin with their ELF header at l_addr. */
SIGSAFE static bool read_object(struct loaded_object *to,
				const struct link_map *map,
				struct safe_read *reader)
{
	ElfW(Ehdr) header;

	return safe_read_copy(reader, &header, map->l_addr, sizeof(header)) &&
	       *(uint32_t *)header.e_ident == *(const uint32_t *)ELFMAG &&
	       header.e_phentsize == sizeof(ElfW(Phdr)) &&
	       header.e_phnum <= HEADERS &&
	       read_segments(to, map, reader, map->l_addr + header.e_phoff,
			     header.e_phnum);
}

SIGSAFE static void insert_object(struct table *to,
				  const struct loaded_object *object)
{
	uint32_t i = to->count;

	if (i == OBJECTS)
		return;
	for (to->count++; i > 0 && to->at[i - 1].start > object->start; i--)
		to->at[i] = to->at[i - 1];
	to->at[i] = *object;
}

/*
 * The objects behind `from` in the loader's list.  False: it changes.  It is
 * read through the kernel, since another thread may take a record away.
 */
SIGSAFE static bool read_loaded_list(struct table *to,
				     const struct link_map *from)
{
	struct safe_read *reader = &objects.reader;
	const struct link_map *at = from;
	struct link_map map;

	safe_read_forget(reader);
	to->count = 0;
	to->generation = registry_code_generation();
	to->end = from;
	if (!safe_read_copy(reader, &map, (uintptr_t)at, sizeof(map)))
		return false;
	while ((at = map.l_next) && to->count < OBJECTS) {
		struct loaded_object object = { .map = at };

		if (!safe_read_copy(reader, &map, (uintptr_t)at, sizeof(map)) ||
		    map.l_prev != to->end)
			return false;
		if (read_object(&object, &map, reader))
			insert_object(to, &object);
		to->end = at;
	}
	return _r_debug.r_state == RT_CONSISTENT &&
	       to->generation == registry_code_generation();
}

/*
 * A writer that a fork has left behind is none of this process.  Who comes
 * while one writes does not wait: that one may be the thread below.
 */
SIGSAFE static bool write_later(uint32_t written)
{
	uint32_t self = (uint32_t)sys0(SYS_getpid);
	uint32_t writer = __atomic_load_n(&objects.writer, __ATOMIC_RELAXED);
	bool well;

	if (writer == self ||
	    !__atomic_compare_exchange_n(&objects.writer, &writer, self, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	well = written == __atomic_load_n(&objects.written, __ATOMIC_RELAXED) &&
	       read_loaded_list(&objects.later[(written + 1) & 1],
				objects.lasting->end);
	if (well)
		__atomic_store_n(&objects.written, written + 1,
				 __ATOMIC_RELEASE);
	__atomic_store_n(&objects.writer, 0, __ATOMIC_RELEASE);
	return well;
}

/* Nothing was closed, nothing opened. */
SIGSAFE static bool is_table_current(const struct table *t)
{
	struct safe_read reader = { 0 };
	const struct link_map *next = NULL;

	return t->end && t->generation == registry_code_generation() &&
	       safe_read_alone(&reader, &next, (uintptr_t)&t->end->l_next,
			       sizeof(next)) &&
	       !next;
}

SIGSAFE static enum loaded_found look_later(struct loaded_object *to,
					    uintptr_t pc)
{
	for (int tries = 0; tries < 2; tries++) {
		uint32_t written =
			__atomic_load_n(&objects.written, __ATOMIC_ACQUIRE);
		const struct table *t = &objects.later[written & 1];
		bool found = find_object_in_table(t, pc, to),
		     current = is_table_current(t);

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (current && written == __atomic_load_n(&objects.written,
							  __ATOMIC_RELAXED))
			return found ? LOADED_FOUND : LOADED_NONE;
		if (!current && !write_later(written))
			return LOADED_CHANGES;
	}
	return LOADED_CHANGES;
}

SIGSAFE enum loaded_found loaded_object_look(struct loaded_object *to,
					     uintptr_t pc)
{
	if (objects.libc)
		return objects.libc((void *)pc, to) ? LOADED_NONE
						    : LOADED_FOUND;
	if (!objects.lasting)
		return LOADED_NONE;
	return find_object_in_table(objects.lasting, pc, to)
		       ? LOADED_FOUND
		       : look_later(to, pc);
}

PUBLIC bool copse_loaded_object(struct loaded_object *to, const void *code)
{
	return loaded_object_find(to, code);
}

static bool make_tables(void)
{
	const struct link_map *program = _r_debug.r_map;
	struct loaded_object object = { .map = program };
	struct table *tables = sys_memory(3 * sizeof(*tables));

	objects.reader.bytes = sys_memory(PEEK_SIZE);
	if (!tables || !objects.reader.bytes || !program ||
	    !read_loaded_list(tables, program))
		return false;
	if (read_segments(&object, program, &objects.reader, getauxval(AT_PHDR),
			  (uint32_t)getauxval(AT_PHNUM)))
		insert_object(tables, &object);
	objects.later = tables + 1;
	objects.lasting = tables;
	return true;
}

/* A look-up that does not find itself is not the one that it is taken for. */
__attribute__((constructor)) void loaded_object_start(void)
{
	libc_look *libc = (libc_look *)dlsym(RTLD_DEFAULT, "_dl_find_object");
	struct loaded_object self;

	if (objects.libc || objects.lasting)
		return;
	if (libc && !libc((void *)loaded_object_look, &self))
		objects.libc = libc;
	else
		make_tables();
	dlerror(); /* the program must not see our failures */
}
