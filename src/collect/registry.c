/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c - the lists of a live profile, appended to without a lock. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "base/timebase.h"
#include "collect/enlist.h"
#include "collect/launch-rank.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/time.h"
#include "collect/unwind/loaded-object.h"

enum {
	MODULES = 2048,
	MODULE_SLOTS = 2 * MODULES, /* open addressing */
	COMMAND_SIZE = 4096,
	PATH_SIZE = 2048,
	NAME_TRIES = 1000,   /* an exec keeps the process id */
	SMALL_PIECE = 16384, /* the least that is taken from the arena */
};

enum {
	CLOSED,
	OPENING,
	OPEN,
	FAILED
};

struct module {
	uintptr_t start, end, base;
	uintptr_t name; /* of a string */
	uint32_t index;
	uint8_t build_id[36];
	uint32_t build_id_size;
	bool lasting;
	/* When it was last looked at; both atomic. */
	const struct link_map *map;
	uint32_t generation;
};

/* The last record of a list, and how many there are: changed as one word. */
struct list_end {
	live_ref last;
	uint32_t count;
} __attribute__((aligned(8)));

/* Mutable: the process has one live profile. */
static struct {
	const struct settings *settings;
	struct launch_rank launch;
	char directory[256];
	struct arena arena;
	int state;
	uint32_t sequence;
	uint64_t start_ns, start_cpu_ns; /* of measuring */
	struct arena_small small;
	struct list_end modules_end, names_end, threads_end, comms_end;
	const struct link_map *first_map, *last_map; /* they stay */
	uint32_t modules_taken;
} registry RESET_AT_FORK;

static struct module modules[MODULES];
/* Of them, by address: its number, and the profile above that. */
static uint64_t module_slots[MODULE_SLOTS];

struct registry_generations registry_generations = { 1, 1 };

#define AT(ref) arena_at(&registry.arena, (ref))

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

/*
 * Hangs a complete record behind the last of its list: its index there.  Who
 * finds that another thread has just done so moves the end in its place: that
 * one may have lost its core.
 */
SIGSAFE static uint32_t append_to_list(live_ref *head, struct list_end *end,
				       live_ref ref)
{
	struct list_end at, next;
	bool mine = false;

	__atomic_load(end, &at, __ATOMIC_ACQUIRE);
	while (!mine) {
		/* `next` is the first member of every listed record. */
		live_ref *link = at.last ? (live_ref *)AT(at.last) : head;
		live_ref behind = 0;

		mine = __atomic_compare_exchange_n(link, &behind, ref, false,
						   __ATOMIC_ACQ_REL,
						   __ATOMIC_ACQUIRE);
		next.last = mine ? ref : behind;
		next.count = at.count + 1;
		if (__atomic_compare_exchange(end, &at, &next, false,
					      __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE))
			at = next;
	}
	return next.count - 1;
}

/* The profile itself comes later, if at all. */
static void note_start(void)
{
	registry.start_ns = time_asked(CLOCK_MONOTONIC);
	registry.start_cpu_ns = time_asked(CLOCK_PROCESS_CPUTIME_ID);
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
	registry.launch = launch_rank_find();
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

SIGSAFE void registry_lost(enum loss why, uint64_t count)
{
	struct live_header *header = registry_header();

	if (header)
		__atomic_fetch_add(&header->losses[why], count,
				   __ATOMIC_RELAXED);
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
	long fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/cmdline",
		       O_RDONLY | O_CLOEXEC, 0);
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

/* The kernel marks the path of a file that was removed, or replaced. */
SIGSAFE static long path_length(const char *path, long length)
{
	static const char mark[] = " (deleted)";
	long size = sizeof(mark) - 1;

	if (length > size && !memcmp(path + length - size, mark, (size_t)size))
		length -= size;
	return length;
}

SIGSAFE static live_ref executable_path(void)
{
	live_ref ref = take_bytes(sizeof(struct live_text) + PATH_SIZE + 1);
	struct live_text *text = ref ? AT(ref) : NULL;
	long got = 0;

	if (text)
		got = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe",
			   text->text, PATH_SIZE);
	if (got > 0)
		text->length = (uint32_t)path_length(text->text, got);
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
	struct timebase now;

	header->version = LIVE_VERSION;
	header->header_size = sizeof(*header);
	header->capacity = registry.arena.capacity;
	header->pid = (uint32_t)sys0(SYS_getpid);
	header->ppid = (uint32_t)sys0(SYS_getppid);
	timebase_now(&now);
	header->start_real_ns = now.real_ns - (now.mono_ns - registry.start_ns);
	header->start_mono_ns = registry.start_ns;
	header->clock_id = timebase_id();
	header->start_cpu_ns = registry.start_cpu_ns;
	header->rank = -1;
	header->launch_rank = registry.launch.rank;
	header->launch_size = registry.launch.size;
	header->freq = registry.settings->freq;
	registry.small = (struct arena_small){
		.at = (live_ref)((sizeof(*header) + LIVE_UNIT - 1) / LIVE_UNIT),
		.end = (live_ref)(header->used / LIVE_UNIT),
	};
	header->events = new_text(events, sys_length(events, 1024));
	header->command = command_line();
	header->exe = executable_path();
	if (!sys1(SYS_uname, &system))
		sys_copy(header->host, system.nodename,
			 sys_length(system.nodename, sizeof(header->host) - 1));
	describe_metrics(header);
	__atomic_store_n(&header->magic, LIVE_MAGIC, __ATOMIC_RELEASE);
}

SIGSAFE static void set_state(int state)
{
	__atomic_store_n(&registry.state, state, __ATOMIC_RELEASE);
	sys3(SYS_futex, &registry.state, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

/* One thread makes it; handlers do without meanwhile. */
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
		set_state(FAILED);
		return NULL;
	}
	describe_process((struct live_header *)registry.arena.base);
	set_state(OPEN);
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

struct arena *registry_await(void)
{
	struct arena *arena = registry_open();

	while (!arena &&
	       __atomic_load_n(&registry.state, __ATOMIC_ACQUIRE) == OPENING) {
		sys4(SYS_futex, &registry.state, FUTEX_WAIT_PRIVATE, OPENING,
		     0);
		arena = registry_open();
	}
	return arena;
}

/* Two threads that set limits or lock memory. */
static struct lock fitting RESET_AT_FORK;

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

/* In a forked child: the parent's profile is not ours to write. */
void registry_forget(void)
{
	const struct list_end none = { 0 };

	arena_close(&registry.arena);
	lock_open(&fitting);
	registry.small = (struct arena_small){ 0 };
	registry.modules_end = registry.names_end = none;
	registry.threads_end = registry.comms_end = none;
	registry.modules_taken = 0;
	registry_generations.profile++;
	registry_generations.code++; /* module numbers start again */
	registry.sequence = 0;
	note_start();
	registry.state = CLOSED;
}

/* Is it one of those noted?  The map itself is not read. */
SIGSAFE static bool is_map_kept(const struct link_map *map)
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
				const struct loaded_object *object,
				struct safe_read *reader)
{
	struct link_map map;

	safe_read_forget(reader);
	if (!safe_read_copy(reader, &map, (uintptr_t)object->map, sizeof(map)))
		return false;
	m->map = object->map;
	m->lasting = is_map_kept(m->map);
	m->start = object->start;
	m->end = object->end;
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

/* A new record; NULL: no room. */
SIGSAFE static struct module *add_module(const struct module *seen,
					 struct safe_read *reader)
{
	struct live_header *header = (void *)registry.arena.base;
	live_ref ref = take_bytes(sizeof(struct live_module));
	struct live_module *m;
	struct module *module;
	uint32_t number;

	if (!ref || __atomic_load_n(&registry.modules_taken,
				    __ATOMIC_RELAXED) >= MODULES)
		return NULL;
	number = __atomic_fetch_add(&registry.modules_taken, 1,
				    __ATOMIC_RELAXED);
	if (number >= MODULES)
		return NULL;
	m = AT(ref);
	m->path = module_path(seen, reader);
	m->base = seen->base;
	m->start = seen->start;
	m->end = seen->end;
	m->build_id_size = seen->build_id_size;
	sys_copy(m->build_id, seen->build_id, seen->build_id_size);
	module = &modules[number];
	*module = *seen;
	module->index =
		append_to_list(&header->modules, &registry.modules_end, ref);
	return module;
}

/* Modules that took each other's place have slots behind one another. */
SIGSAFE static uint64_t *slot_at(uintptr_t start, uint32_t i)
{
	uint32_t hash = (uint32_t)(start >> 12) * 0x9e3779b1u >> 20;

	return &module_slots[(hash + i) % MODULE_SLOTS];
}

/* NULL: it is empty, or of a former profile. */
SIGSAFE static struct module *module_in(uint64_t slot)
{
	return slot >> 32 == registry_generation() ? &modules[(uint32_t)slot]
						   : NULL;
}

/* Looked at since code last came or went, or lasting. */
SIGSAFE static bool is_module_current(const struct module *m)
{
	uint32_t at = __atomic_load_n(&m->generation, __ATOMIC_ACQUIRE);

	return at && (m->lasting || at == registry_code_generation());
}

SIGSAFE static const struct module *
known_module(const struct loaded_object *object)
{
	uintptr_t start = object->start;
	const struct module *m;

	for (uint32_t i = 0; (m = module_in(__atomic_load_n(slot_at(start, i),
							    __ATOMIC_ACQUIRE)));
	     i++)
		if (m->start == start && is_module_current(m) &&
		    __atomic_load_n(&m->map, __ATOMIC_RELAXED) == object->map)
			return m;
	return NULL;
}

/*
 * The record of what was seen; NULL: no room.  Of two threads that see it for
 * the first time, one's record stays unused.
 */
SIGSAFE static struct module *module_of(const struct module *seen,
					struct safe_read *reader)
{
	struct module *added = NULL, *m;

	for (uint32_t i = 0;; i++) {
		uint64_t *slot = slot_at(seen->start, i);
		uint64_t is = __atomic_load_n(slot, __ATOMIC_ACQUIRE), mine;

		if (!module_in(is)) {
			if (!added)
				added = add_module(seen, reader);
			if (!added)
				return NULL;
			mine = (uint64_t)registry_generation() << 32 |
			       (uint64_t)(added - modules);
			if (__atomic_compare_exchange_n(slot, &is, mine, false,
							__ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE))
				return added;
		}
		m = module_in(is);
		if (same_module(m, seen))
			return m;
	}
}

/* The record of what is mapped there now; NULL: no room. */
SIGSAFE static const struct module *
look_again(const struct loaded_object *object, struct safe_read *reader,
	   uint32_t generation)
{
	struct module seen = { 0 }, *m;

	if (!read_module(&seen, object, reader))
		return NULL;
	m = module_of(&seen, reader);
	if (!m)
		return NULL;
	__atomic_store_n(&m->map, seen.map, __ATOMIC_RELAXED);
	__atomic_store_n(&m->generation, generation, __ATOMIC_RELEASE);
	return m;
}

SIGSAFE bool registry_module(struct registry_module *to,
			     const struct loaded_object *object,
			     struct safe_read *reader)
{
	uint32_t generation = registry_code_generation();
	const struct module *m = known_module(object);

	if (!m)
		m = look_again(object, reader, generation);
	if (m)
		*to = (struct registry_module){ m->index, m->base, m->lasting };
	return m;
}

SIGSAFE static live_ref new_name(uint32_t class, uint32_t detail)
{
	live_ref ref =
		registry_header() ? take_bytes(sizeof(struct live_name)) : 0;
	struct live_name *to;

	if (!ref)
		return 0;
	to = AT(ref);
	to->class = class;
	to->detail = detail;
	return ref;
}

SIGSAFE static uint32_t append_name(live_ref ref)
{
	return append_to_list(&registry_header()->names, &registry.names_end,
			      ref);
}

SIGSAFE bool registry_name(struct region_name *name, uint32_t *index)
{
	uint64_t known = __atomic_load_n(&name->known, __ATOMIC_ACQUIRE), mine;
	live_ref ref;

	if (known >> 32 != registry_generation()) {
		ref = new_name(name->class, name->detail);
		if (!ref)
			return false;
		((struct live_name *)AT(ref))->text =
			new_text(name->text, sys_length(name->text, 1024));
		mine = (uint64_t)registry_generation() << 32 | append_name(ref);
		/* Another thread's may have come first: this one is unused. */
		if (__atomic_compare_exchange_n(&name->known, &known, mine,
						false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			known = mine;
	}
	*index = (uint32_t)known;
	return true;
}

void registry_rename(struct region_name *name, const char *text)
{
	uint64_t known = __atomic_load_n(&name->known, __ATOMIC_ACQUIRE);
	live_ref to = known >> 32 == registry_generation()
			      ? registry_header()->names
			      : 0;
	uint32_t i = (uint32_t)known;
	live_ref renamed;

	name->text = text;
	while (to && i--)
		to = ((struct live_name *)AT(to))->next;
	renamed = to ? new_text(text, sys_length(text, 1024)) : 0;
	if (renamed)
		__atomic_store_n(&((struct live_name *)AT(to))->text, renamed,
				 __ATOMIC_RELEASE);
}

SIGSAFE bool registry_function(const struct registry_function *f,
			       uint32_t *index)
{
	live_ref ref = new_name(LIVE_NAME_PYTHON, f->first);
	struct live_name *to;

	if (!ref)
		return false;
	to = AT(ref);
	to->text = new_text(f->name, f->name_size);
	to->file = new_text(f->file, f->file_size);
	to->lines = new_text(f->lines, f->lines_size);
	*index = append_name(ref);
	return true;
}

SIGSAFE live_ref registry_thread(uint32_t tid, uint32_t *index)
{
	struct live_header *header = registry_header();
	live_ref ref = header ? take_bytes(sizeof(struct live_thread)) : 0;
	struct live_thread *thread;

	if (!ref)
		return 0;
	thread = AT(ref);
	thread->tid = tid;
	thread->state = LIVE_THREAD_RUNS;
	thread->runs = 1;
	*index = append_to_list(&header->threads, &registry.threads_end, ref);
	return ref;
}

SIGSAFE live_ref registry_comm(void)
{
	struct live_header *header = registry_header();
	live_ref ref = header ? take_bytes(sizeof(struct live_comm)) : 0;

	if (ref)
		append_to_list(&header->comms, &registry.comms_end, ref);
	return ref;
}
