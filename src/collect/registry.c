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
	const char *name;
};

/* Mutable: the process has one live profile. */
static struct {
	const struct settings *settings;
	char directory[256];
	struct arena arena;
	int state;
	uint32_t generation, code_generation, sequence;
	uint64_t start_real_ns, start_mono_ns, start_cpu_ns; /* of measuring */
	int locked;
	struct arena_small small;
	live_ref last_module, last_name, last_thread, last_comm;
	uint32_t module_count, name_count, thread_count;
	struct module modules[MODULE_SLOTS];
} registry = { .code_generation = 1, .generation = 1 };

#define AT(ref) arena_at(&registry.arena, (ref))

SIGSAFE static bool lock(void)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		int free = 0;

		if (__atomic_compare_exchange_n(&registry.locked, &free, 1,
						false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

SIGSAFE static void unlock(void)
{
	__atomic_store_n(&registry.locked, 0, __ATOMIC_RELEASE);
}

SIGSAFE static live_ref take(uint64_t size)
{
	return arena_small(&registry.arena, &registry.small, size);
}

SIGSAFE static live_ref new_text(const char *text, uint32_t length)
{
	live_ref ref = take(sizeof(struct live_text) + length + 1);
	struct live_text *to;

	if (!ref)
		return 0;
	to = AT(ref);
	sys_copy(to->text, text, length);
	to->length = length;
	return ref;
}

/* Hang a complete record behind the last of its list. */
SIGSAFE static void append(live_ref *head, live_ref *last, live_ref ref)
{
	/* `next` is the first member of every listed record. */
	live_ref *link = *last ? (live_ref *)AT(*last) : head;

	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
	*last = ref;
}

/* The profile itself comes later, if at all. */
static void note_start(void)
{
	registry.start_real_ns = time_now(CLOCK_REALTIME);
	registry.start_mono_ns = time_now(CLOCK_MONOTONIC);
	registry.start_cpu_ns = time_now(CLOCK_PROCESS_CPUTIME_ID);
}

void registry_init(const struct settings *settings, const char *directory)
{
	registry.settings = settings;
	strncpy(registry.directory, directory, sizeof(registry.directory) - 1);
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

SIGSAFE uint32_t registry_generation(void)
{
	return registry.generation;
}

SIGSAFE uint32_t registry_code_generation(void)
{
	return __atomic_load_n(&registry.code_generation, __ATOMIC_ACQUIRE);
}

void registry_code_changes(void)
{
	__atomic_fetch_add(&registry.code_generation, 1, __ATOMIC_ACQ_REL);
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
	live_ref ref = take(sizeof(struct live_text) + COMMAND_SIZE + 1);
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
	live_ref ref = take(sizeof(struct live_text) + PATH_SIZE + 1);
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

SIGSAFE static void describe(struct live_header *header)
{
	const char *events = registry.settings->events;
	struct utsname system;

	header->version = LIVE_VERSION;
	header->header_size = sizeof(*header);
	header->capacity = registry.arena.capacity;
	header->pid = (uint32_t)sys0(SYS_getpid);
	header->ppid = (uint32_t)sys0(SYS_getppid);
	header->start_real_ns = registry.start_real_ns;
	header->start_mono_ns = registry.start_mono_ns;
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

SIGSAFE struct arena *registry_open(void)
{
	int closed = CLOSED, err = -EEXIST;
	char path[300];

	if (__atomic_load_n(&registry.state, __ATOMIC_ACQUIRE) == OPEN)
		return &registry.arena;
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
		__atomic_store_n(&registry.state, FAILED, __ATOMIC_RELEASE);
		return NULL;
	}
	describe((struct live_header *)registry.arena.base);
	__atomic_store_n(&registry.state, OPEN, __ATOMIC_RELEASE);
	return &registry.arena;
}

/* In a forked child: the parent's profile is not ours to write. */
void registry_forget(void)
{
	arena_close(&registry.arena);
	registry.locked = 0;
	registry.small = (struct arena_small){ 0 };
	registry.last_module = registry.last_name = 0;
	registry.last_thread = registry.last_comm = 0;
	registry.module_count = registry.name_count = registry.thread_count = 0;
	registry.generation++;
	registry.code_generation++; /* module numbers start again */
	registry.sequence = 0;
	note_start();
	memset(registry.modules, 0, sizeof(registry.modules));
	registry.state = CLOSED;
}

/* The build id in the notes of a mapped module. */
SIGSAFE static void read_notes(struct module *m, const char *at, uint64_t size)
{
	const char *end = at + size;

	while ((uint64_t)(end - at) > sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		const char *name = at + sizeof(*note);
		const char *data = name + ((note->n_namesz + 3u) & ~3u);

		if (note->n_namesz > size || note->n_descsz > size ||
		    data + note->n_descsz > end)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    name[0] == 'G' && name[1] == 'N' && name[2] == 'U') {
			m->build_id_size =
				note->n_descsz < 36 ? note->n_descsz : 36;
			sys_copy(m->build_id, data, m->build_id_size);
			return;
		}
		at = data + ((note->n_descsz + 3u) & ~3u);
	}
}

SIGSAFE static void read_build_id(struct module *m)
{
	const ElfW(Ehdr) *elf = (const void *)m->start;
	const ElfW(Phdr) * segment;

	if (elf->e_ident[0] != 0x7f || elf->e_ident[1] != 'E' ||
	    elf->e_phoff + elf->e_phnum * sizeof(*segment) > m->end - m->start)
		return;
	segment = (const void *)(m->start + elf->e_phoff);
	for (int i = 0; i < elf->e_phnum && !m->build_id_size; i++, segment++) {
		uintptr_t at = m->base + segment->p_vaddr;

		if (segment->p_type == PT_NOTE && at >= m->start &&
		    at + segment->p_memsz <= m->end)
			read_notes(m, (const char *)at, segment->p_memsz);
	}
}

SIGSAFE static void look_at(struct module *m,
			    const struct dl_find_object *object)
{
	m->map = object->dlfo_link_map;
	m->start = (uintptr_t)object->dlfo_map_start;
	m->end = (uintptr_t)object->dlfo_map_end;
	m->base = m->map->l_addr;
	m->name = m->map->l_name;
	m->build_id_size = 0;
	read_build_id(m);
}

SIGSAFE static bool same(const struct module *a, const struct module *b)
{
	if (a->end != b->end || a->base != b->base || a->name != b->name ||
	    a->build_id_size != b->build_id_size)
		return false;
	for (uint32_t i = 0; i < a->build_id_size; i++)
		if (a->build_id[i] != b->build_id[i])
			return false;
	return a->build_id_size > 0;
}

SIGSAFE static live_ref module_path(const struct module *m)
{
	const char *name = m->name;

	if (!name || !*name)
		return ((struct live_header *)registry.arena.base)->exe;
	if (name[0] == 'l' && name[5] == '-' && name[6] == 'v')
		name = "[vdso]"; /* linux-vdso.so.1 */
	return new_text(name, sys_length(name, COMMAND_SIZE));
}

SIGSAFE static bool add_module(struct module *slot, const struct module *seen)
{
	struct live_header *header = (void *)registry.arena.base;
	live_ref ref = take(sizeof(struct live_module));
	struct live_module *m;

	if (!ref || registry.module_count >= MODULE_SLOTS / 2)
		return false;
	m = AT(ref);
	m->path = module_path(seen);
	m->base = seen->base;
	m->start = seen->start;
	m->end = seen->end;
	m->build_id_size = seen->build_id_size;
	sys_copy(m->build_id, seen->build_id, seen->build_id_size);
	append(&header->modules, &registry.last_module, ref);
	*slot = *seen;
	slot->index = registry.module_count++;
	return true;
}

SIGSAFE static struct module *find_slot(uintptr_t start)
{
	uint32_t i = (uint32_t)(start >> 12) * 0x9e3779b1u >> 20;

	while (registry.modules[i % MODULE_SLOTS].start &&
	       registry.modules[i % MODULE_SLOTS].start != start)
		i++;
	return &registry.modules[i % MODULE_SLOTS];
}

/* Under the lock: is the slot still what is mapped there; else add that. */
SIGSAFE static bool check_module(struct module *slot,
				 const struct dl_find_object *object,
				 uint32_t generation)
{
	struct module seen = { 0 };

	look_at(&seen, object);
	if (!(slot->start && same(slot, &seen)) && !add_module(slot, &seen))
		return false;
	__atomic_store_n(&slot->generation, generation, __ATOMIC_RELEASE);
	return true;
}

SIGSAFE bool registry_module(const struct dl_find_object *object,
			     uint32_t *index)
{
	uint32_t generation = registry_code_generation();
	struct module *slot = find_slot((uintptr_t)object->dlfo_map_start);
	bool ok = true;

	if (__atomic_load_n(&slot->generation, __ATOMIC_ACQUIRE) !=
		    generation ||
	    slot->map != object->dlfo_link_map) {
		if (!lock())
			return false;
		slot = find_slot((uintptr_t)object->dlfo_map_start);
		ok = check_module(slot, object, generation);
		unlock();
	}
	*index = slot->index;
	return ok;
}

SIGSAFE static bool add_name(struct region_name *name)
{
	struct live_header *header = registry_header();
	live_ref ref = header ? take(sizeof(struct live_name)) : 0;
	struct live_name *to;

	if (!ref)
		return false;
	to = AT(ref);
	to->text = new_text(name->text, sys_length(name->text, 1024));
	to->class = name->class;
	to->detail = name->detail;
	append(&header->names, &registry.last_name, ref);
	name->generation = registry.generation;
	__atomic_store_n(&name->index, ++registry.name_count, __ATOMIC_RELEASE);
	return true;
}

SIGSAFE bool registry_name(struct region_name *name, uint32_t *index)
{
	uint32_t known = __atomic_load_n(&name->index, __ATOMIC_ACQUIRE);
	bool ok = true;

	if (!known || name->generation != registry.generation) {
		if (!lock())
			return false;
		if (!name->index || name->generation != registry.generation)
			ok = add_name(name);
		known = name->index;
		unlock();
	}
	*index = known - 1;
	return ok;
}

SIGSAFE live_ref registry_thread(uint32_t tid, uint32_t *index)
{
	struct live_header *header = registry_header();
	struct live_thread *thread;
	live_ref ref;

	if (!header || !lock())
		return 0;
	ref = take(sizeof(*thread));
	if (ref) {
		thread = AT(ref);
		thread->tid = tid;
		thread->state = LIVE_THREAD_RUNS;
		thread->runs = 1;
		append(&header->threads, &registry.last_thread, ref);
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
	ref = take(sizeof(struct live_comm));
	if (ref)
		append(&header->comms, &registry.last_comm, ref);
	unlock();
	return ref;
}
