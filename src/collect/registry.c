/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c - the lists of a live profile, appended to under a short lock. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/sys.h"
#include "base/timebase.h"
#include "collect/enlist.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/time.h"

enum {
	MODULE_SLOTS = 4096, /* open addressing, at most half full */
	COMMAND_SIZE = 4096,
	PATH_SIZE = 2048,
	NAME_TRIES = 1000, /* an exec keeps the process id */
	LOCK_TRIES = 20000,
	SMALL_PIECE = 16384, /* the least that is taken from the arena */
};

enum {
	CLOSED,
	OPENING,
	OPEN,
	FAILED
};

struct module {
	const struct link_map *map;
	uintptr_t start, end, base;
	uint32_t index, generation;
	uint8_t build_id[36];
	uint32_t build_id_size;
	uintptr_t name; /* of a string */
	bool lasting;
};

/* Mutable: the process has one live profile. */
static struct {
	const struct settings *settings;
	char directory[256];
	struct arena arena;
	int state;
	uint32_t sequence;
	struct timebase start; /* of measuring */
	uint64_t start_cpu_ns;
	int locked;
	uint64_t mask; /* of whoever locked it */
	struct arena_small small;
	live_ref last_module, last_name, last_thread, last_comm;
	uint32_t module_count, name_count, thread_count;
	const struct link_map *first_map, *last_map; /* they stay */
	struct module modules[MODULE_SLOTS];
	uint16_t slots[MODULE_SLOTS / 2]; /* of them, by index */
} registry;

struct registry_generations registry_generations = { 1, 1 };

#define AT(ref) arena_at(&registry.arena, (ref))

/* As struct lock has it, but for handlers as well. */
SIGSAFE static bool lock(void)
{
	uint64_t mask = sys_mask(SYS_MASK_ALL);

	for (int i = 0; i < LOCK_TRIES; i++) {
		int free = 0;

		if (__atomic_compare_exchange_n(&registry.locked, &free, 1,
						false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED)) {
			registry.mask = mask;
			return true;
		}
		__builtin_ia32_pause();
	}
	sys_mask(mask);
	return false;
}

SIGSAFE static void unlock(void)
{
	uint64_t mask = registry.mask;

	__atomic_store_n(&registry.locked, 0, __ATOMIC_RELEASE);
	sys_mask(mask);
}

SIGSAFE static live_ref take_bytes(uint64_t size)
{
	return arena_small(&registry.arena, &registry.small, size);
}

SIGSAFE static live_ref new_text(const char *text, uint32_t length)
{
	live_ref ref = take_bytes(sizeof(struct live_text) + length + 1);
	struct live_text *to;

	if (!ref)
		return 0;
	to = AT(ref);
	sys_copy(to->text, text, length);
	to->length = length;
	return ref;
}

/* Hang a complete record behind the last of its list. */
SIGSAFE static void append_to_list(live_ref *head, live_ref *last, live_ref ref)
{
	/* `next` is the first member of every listed record. */
	live_ref *link = *last ? (live_ref *)AT(*last) : head;

	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
	*last = ref;
}

/* The profile itself comes later, if at all. */
static void note_start(void)
{
	timebase_now(&registry.start);
	registry.start_cpu_ns = time_now(CLOCK_PROCESS_CPUTIME_ID);
}

/*
 * What is mapped when the program starts stays until its end; later modules
 * come behind in the loader's list, and may go at any moment.
 */
static void note_modules(void)
{
	const struct link_map *map = _r_debug.r_map;

	registry.first_map = map;
	while (map && map->l_next)
		map = map->l_next;
	registry.last_map = map;
}

void registry_init(const struct settings *settings, const char *directory)
{
	registry.settings = settings;
	strncpy(registry.directory, directory, sizeof(registry.directory) - 1);
	note_modules();
	note_start();
}

SIGSAFE struct live_header *registry_header(void)
{
	if (__atomic_load_n(&registry.state, __ATOMIC_ACQUIRE) != OPEN)
		return NULL;
	return (struct live_header *)registry.arena.base;
}

SIGSAFE bool registry_full(void)
{
	const struct live_header *header = registry_header();
	int state = __atomic_load_n(&registry.state, __ATOMIC_ACQUIRE);

	/* A piece that did not fit leaves less than the largest one. */
	return state == FAILED ||
	       (header && header->used + SMALL_PIECE > header->capacity);
}

void registry_code_changes(void)
{
	__atomic_fetch_add(&registry_generations.code, 1, __ATOMIC_ACQ_REL);
}

SIGSAFE static char *put_number(char *to, uint32_t n)
{
	char digits[12];
	int count = 0;

	do {
		digits[count++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (count)
		*to++ = digits[--count];
	return to;
}

/* DIRECTORY/PID.SEQUENCE.live, without stdio. */
SIGSAFE static void file_name(char *to, uint32_t pid)
{
	uint32_t length = sys_length(registry.directory, 255);

	sys_copy(to, registry.directory, length);
	to += length;
	*to++ = '/';
	to = put_number(to, pid);
	*to++ = '.';
	to = put_number(to, registry.sequence++);
	sys_copy(to, ".live", 6);
}

SIGSAFE static live_ref command_line(void)
{
	long fd = sys3(SYS_open, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
	live_ref ref = take_bytes(sizeof(struct live_text) + COMMAND_SIZE + 1);
	struct live_text *text = ref ? AT(ref) : NULL;
	long got = 0;

	if (fd >= 0 && text)
		got = sys3(SYS_read, fd, text->text, COMMAND_SIZE);
	if (fd >= 0)
		sys1(SYS_close, fd);
	if (text && got > 0)
		text->length = (uint32_t)got;
	return ref;
}

SIGSAFE static live_ref executable(void)
{
	live_ref ref = take_bytes(sizeof(struct live_text) + PATH_SIZE + 1);
	struct live_text *text = ref ? AT(ref) : NULL;
	long got = 0;

	if (text)
		got = sys3(SYS_readlink, "/proc/self/exe", text->text,
			   PATH_SIZE);
	if (got > 0)
		text->length = (uint32_t)got;
	return ref;
}

SIGSAFE static void describe_metrics(struct live_header *header)
{
	for (uint32_t i = 0; i < METRIC_COUNT; i++) {
		struct live_metric *m = &header->metrics[i];

		sys_copy(m->name, metric_infos[i].name,
			 sys_length(metric_infos[i].name, sizeof(m->name) - 1));
		m->unit = metric_infos[i].unit;
		m->merge = metric_infos[i].merge;
	}
	header->metric_count = METRIC_COUNT;
}

SIGSAFE static void describe_process(struct live_header *header)
{
	const char *events = registry.settings->events;
	struct utsname system;

	header->version = LIVE_VERSION;
	header->header_size = sizeof(*header);
	header->capacity = registry.arena.capacity;
	header->pid = (uint32_t)sys0(SYS_getpid);
	header->ppid = (uint32_t)sys0(SYS_getppid);
	header->start_real_ns = registry.start.real_ns;
	header->start_mono_ns = registry.start.mono_ns;
	header->clock_id = timebase_id();
	header->start_cpu_ns = registry.start_cpu_ns;
	header->rank = -1;
	header->freq = registry.settings->freq;
	registry.small = (struct arena_small){
		.at = (live_ref)((sizeof(*header) + LIVE_UNIT - 1) / LIVE_UNIT),
		.end = (live_ref)(header->used / LIVE_UNIT),
	};
	header->events = new_text(events, sys_length(events, 1024));
	header->command = command_line();
	header->exe = executable();
	if (!sys1(SYS_uname, &system))
		sys_copy(header->host, system.nodename,
			 sys_length(system.nodename, sizeof(header->host) - 1));
	describe_metrics(header);
	__atomic_store_n(&header->magic, LIVE_MAGIC, __ATOMIC_RELEASE);
}

/* One thread makes it; the others do without meanwhile. */
SIGSAFE static struct arena *make_profile(void)
{
	int closed = CLOSED, err = -EEXIST;
	char path[300];

	if (!__atomic_compare_exchange_n(&registry.state, &closed, OPENING,
					 false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return NULL;
	for (int i = 0; err == -EEXIST && i < NAME_TRIES; i++) {
		file_name(path, (uint32_t)sys0(SYS_getpid));
		err = arena_open(&registry.arena, path,
				 registry.settings->memory << 20);
	}
	if (err) {
		enlist_failed();
		__atomic_store_n(&registry.state, FAILED, __ATOMIC_RELEASE);
		return NULL;
	}
	describe_process((struct live_header *)registry.arena.base);
	__atomic_store_n(&registry.state, OPEN, __ATOMIC_RELEASE);
	enlist_profile();
	return &registry.arena;
}

SIGSAFE struct arena *registry_open(void)
{
	struct arena *arena;
	uint64_t mask;

	if (__atomic_load_n(&registry.state, __ATOMIC_ACQUIRE) == OPEN)
		return &registry.arena;
	/* A handler of the program that jumped out would leave it half made. */
	mask = sys_mask(SYS_MASK_ALL);
	arena = make_profile();
	sys_mask(mask);
	return arena;
}

/* Two threads that set limits or lock memory. */
static struct lock fitting;

void registry_fit(void)
{
	struct live_header *header;

	lock_take(&fitting);
	header = registry_header();
	if (header) {
		arena_fit(&registry.arena);
		header->capacity = registry.arena.capacity;
	}
	lock_give(&fitting);
}

long registry_hidden(long (*call)(const void *), const void *argument)
{
	uint64_t before = 0;
	long result;

	lock_take(&fitting);
	if (registry_header())
		before = arena_hide(&registry.arena);
	result = call(argument);
	if (before)
		arena_show(&registry.arena, before);
	lock_give(&fitting);
	return result;
}

/* Only those that are used: each page that is touched costs a fork. */
static void forget_modules(void)
{
	for (uint32_t i = 0; i < registry.module_count; i++)
		registry.modules[registry.slots[i]] = (struct module){ 0 };
	registry.module_count = 0;
}

/* In a forked child: the parent's profile is not ours to write. */
void registry_forget(void)
{
	forget_modules();
	arena_close(&registry.arena);
	lock_open(&fitting);
	registry.locked = 0;
	registry.small = (struct arena_small){ 0 };
	registry.last_module = registry.last_name = 0;
	registry.last_thread = registry.last_comm = 0;
	registry.name_count = registry.thread_count = 0;
	registry_generations.profile++;
	registry_generations.code++; /* module numbers start again */
	registry.sequence = 0;
	note_start();
	registry.state = CLOSED;
}

/* Is it one of those noted?  The map itself is not read. */
SIGSAFE static bool stays(const struct link_map *map)
{
	const struct link_map *at = registry.first_map;

	while (at && at != map && at != registry.last_map)
		at = at->l_next;
	return at && at == map;
}

/* The build id in the notes of a mapped module. */
SIGSAFE static void read_notes(struct module *m, struct safe_read *reader,
			       uintptr_t at, uint64_t size)
{
	uintptr_t end = at + size;
	ElfW(Nhdr) note;
	char name[4];

	while (end - at > sizeof(note) &&
	       safe_read_copy(reader, &note, at, sizeof(note))) {
		uintptr_t data =
			at + sizeof(note) + ((note.n_namesz + 3u) & ~3u);

		if (note.n_namesz > size || note.n_descsz > size ||
		    data + note.n_descsz > end)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    safe_read_copy(reader, name, at + sizeof(note),
				   sizeof(name)) &&
		    name[0] == 'G' && name[1] == 'N' && name[2] == 'U') {
			m->build_id_size =
				note.n_descsz < 36 ? note.n_descsz : 36;
			if (!safe_read_copy(reader, m->build_id, data,
					    m->build_id_size))
				m->build_id_size = 0;
			return;
		}
		at = data + ((note.n_descsz + 3u) & ~3u);
	}
}

SIGSAFE static void read_build_id(struct module *m, struct safe_read *reader)
{
	ElfW(Ehdr) elf;
	ElfW(Phdr) segment;
	uintptr_t next;

	if (!safe_read_copy(reader, &elf, m->start, sizeof(elf)) ||
	    elf.e_ident[0] != 0x7f || elf.e_ident[1] != 'E' ||
	    elf.e_phoff + elf.e_phnum * sizeof(segment) > m->end - m->start)
		return;
	next = m->start + elf.e_phoff;
	for (int i = 0; i < elf.e_phnum && !m->build_id_size; i++) {
		uintptr_t at;

		if (!safe_read_copy(reader, &segment, next, sizeof(segment)))
			return;
		at = m->base + segment.p_vaddr;
		if (segment.p_type == PT_NOTE && at >= m->start &&
		    at + segment.p_memsz <= m->end)
			read_notes(m, reader, at, segment.p_memsz);
		next += sizeof(segment);
	}
}

/* All is read through the peek: another thread may close the module. */
SIGSAFE static bool read_module(struct module *m,
				const struct dl_find_object *object,
				struct safe_read *reader)
{
	struct link_map map;

	safe_read_forget(reader);
	if (!safe_read_copy(reader, &map, (uintptr_t)object->dlfo_link_map,
			    sizeof(map)))
		return false;
	m->map = object->dlfo_link_map;
	m->lasting = stays(m->map);
	m->start = (uintptr_t)object->dlfo_map_start;
	m->end = (uintptr_t)object->dlfo_map_end;
	m->base = map.l_addr;
	m->name = (uintptr_t)map.l_name;
	m->build_id_size = 0;
	read_build_id(m, reader);
	return true;
}

/* The same code at the same place, whatever the loader's record of it. */
SIGSAFE static bool same_module(const struct module *a, const struct module *b)
{
	if (a->start != b->start || a->end != b->end || a->base != b->base ||
	    a->build_id_size != b->build_id_size ||
	    (!a->build_id_size && a->name != b->name))
		return false;
	for (uint32_t i = 0; i < a->build_id_size; i++)
		if (a->build_id[i] != b->build_id[i])
			return false;
	return a->build_id_size > 0 || a->lasting;
}

SIGSAFE static live_ref safe_read_text(struct safe_read *reader, uintptr_t at)
{
	uint32_t length = 0;
	live_ref ref;
	struct live_text *to;
	char c;

	while (length < COMMAND_SIZE &&
	       safe_read_copy(reader, &c, at + length, 1) && c)
		length++;
	ref = take_bytes(sizeof(*to) + length + 1);
	if (!ref)
		return 0;
	to = AT(ref);
	if (safe_read_copy(reader, to->text, at, length))
		to->length = length;
	return ref;
}

SIGSAFE static live_ref module_path(const struct module *m,
				    struct safe_read *reader)
{
	char name[7] = ""; /* as long as linux-v */

	if (!m->name || !safe_read_copy(reader, name, m->name, 1) || !name[0])
		return ((struct live_header *)registry.arena.base)->exe;
	if (safe_read_copy(reader, name, m->name, sizeof(name)) &&
	    name[0] == 'l' && name[5] == '-' && name[6] == 'v')
		return new_text("[vdso]", 6); /* linux-vdso.so.1 */
	return safe_read_text(reader, m->name);
}

SIGSAFE static bool add_module(struct module *slot, const struct module *seen,
			       struct safe_read *reader)
{
	struct live_header *header = (void *)registry.arena.base;
	live_ref ref = take_bytes(sizeof(struct live_module));
	struct live_module *m;

	if (!ref || registry.module_count >= MODULE_SLOTS / 2)
		return false;
	m = AT(ref);
	m->path = module_path(seen, reader);
	m->base = seen->base;
	m->start = seen->start;
	m->end = seen->end;
	m->build_id_size = seen->build_id_size;
	sys_copy(m->build_id, seen->build_id, seen->build_id_size);
	append_to_list(&header->modules, &registry.last_module, ref);
	*slot = *seen;
	slot->index = registry.module_count++;
	registry.slots[slot->index] = (uint16_t)(slot - registry.modules);
	return true;
}

/* Modules that took each other's place have slots behind one another. */
SIGSAFE static struct module *slot_at(uintptr_t start, uint32_t i)
{
	uint32_t hash = (uint32_t)(start >> 12) * 0x9e3779b1u >> 20;

	return &registry.modules[(hash + i) % MODULE_SLOTS];
}

/* Looked at since code last came or went, or lasting. */
SIGSAFE static bool is_module_current(const struct module *slot)
{
	uint32_t at = __atomic_load_n(&slot->generation, __ATOMIC_ACQUIRE);

	return at && (slot->lasting || at == registry_code_generation());
}

SIGSAFE static const struct module *
known_module(const struct dl_find_object *object)
{
	uintptr_t start = (uintptr_t)object->dlfo_map_start;
	const struct module *slot;

	for (uint32_t i = 0; (slot = slot_at(start, i))->start; i++)
		if (slot->start == start &&
		    slot->map == object->dlfo_link_map &&
		    is_module_current(slot))
			return slot;
	return NULL;
}

/* Under the lock: the slot of what is mapped there now; NULL: no room. */
SIGSAFE static const struct module *
look_again(const struct dl_find_object *object, struct safe_read *reader,
	   uint32_t generation)
{
	struct module seen = { 0 }, *slot;
	uint32_t i = 0;

	if (!read_module(&seen, object, reader))
		return NULL;
	while ((slot = slot_at(seen.start, i))->start &&
	       !same_module(slot, &seen))
		i++;
	if (!slot->start && !add_module(slot, &seen, reader))
		return NULL;
	slot->map = seen.map;
	slot->lasting = seen.lasting;
	__atomic_store_n(&slot->generation, generation, __ATOMIC_RELEASE);
	return slot;
}

SIGSAFE bool registry_module(struct registry_module *to,
			     const struct dl_find_object *object,
			     struct safe_read *reader)
{
	uint32_t generation = registry_code_generation();
	const struct module *slot = known_module(object);

	if (!slot) {
		if (!lock())
			return false;
		slot = look_again(object, reader, generation);
		unlock();
	}
	if (slot)
		*to = (struct registry_module){ slot->index, slot->base,
						slot->lasting };
	return slot;
}

SIGSAFE static bool add_name(struct region_name *name)
{
	struct live_header *header = registry_header();
	live_ref ref = header ? take_bytes(sizeof(struct live_name)) : 0;
	struct live_name *to;

	if (!ref)
		return false;
	to = AT(ref);
	to->text = new_text(name->text, sys_length(name->text, 1024));
	to->class = name->class;
	to->detail = name->detail;
	append_to_list(&header->names, &registry.last_name, ref);
	name->generation = registry_generations.profile;
	__atomic_store_n(&name->index, ++registry.name_count, __ATOMIC_RELEASE);
	return true;
}

SIGSAFE bool registry_name(struct region_name *name, uint32_t *index)
{
	uint32_t known = __atomic_load_n(&name->index, __ATOMIC_ACQUIRE);
	bool ok = true;

	if (!known || name->generation != registry_generations.profile) {
		if (!lock())
			return false;
		if (!name->index ||
		    name->generation != registry_generations.profile)
			ok = add_name(name);
		known = name->index;
		unlock();
	}
	*index = known - 1;
	return ok;
}

SIGSAFE static bool add_python_function(const struct registry_function *f,
					uint32_t *index)
{
	struct live_header *header = registry_header();
	live_ref ref = header ? take_bytes(sizeof(struct live_name)) : 0;
	struct live_name *to;

	if (!ref)
		return false;
	to = AT(ref);
	to->text = new_text(f->name, f->name_size);
	to->file = new_text(f->file, f->file_size);
	to->lines = new_text(f->lines, f->lines_size);
	to->class = LIVE_NAME_PYTHON;
	to->detail = f->first;
	append_to_list(&header->names, &registry.last_name, ref);
	*index = registry.name_count++;
	return true;
}

SIGSAFE bool registry_function(const struct registry_function *f,
			       uint32_t *index)
{
	bool ok;

	if (!lock())
		return false;
	ok = add_python_function(f, index);
	unlock();
	return ok;
}

SIGSAFE live_ref registry_thread(uint32_t tid, uint32_t *index)
{
	struct live_header *header = registry_header();
	struct live_thread *thread;
	live_ref ref;

	if (!header || !lock())
		return 0;
	ref = take_bytes(sizeof(*thread));
	if (ref) {
		thread = AT(ref);
		thread->tid = tid;
		thread->state = LIVE_THREAD_RUNS;
		thread->runs = 1;
		append_to_list(&header->threads, &registry.last_thread, ref);
		*index = registry.thread_count++;
	}
	unlock();
	return ref;
}

SIGSAFE live_ref registry_comm(void)
{
	struct live_header *header = registry_header();
	live_ref ref;

	if (!header || !lock())
		return 0;
	ref = take_bytes(sizeof(struct live_comm));
	if (ref)
		append_to_list(&header->comms, &registry.last_comm, ref);
	unlock();
	return ref;
}
