/* SPDX-License-Identifier: BSD-3-Clause */
/* io-files.c - see io-files.h. */
#include "collect/io/io-files.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/hidden.h"
#include "base/sys.h"
#include "collect/io/io-times.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"

enum {
	FILES = 1024,   /* then all are one */
	RECORDS = 4096, /* of all threads */
	FILE_PLACES = 4096,
	ALIASES = 2048,
	DESCRIPTORS = 65536,
	NOT_A_FILE = 1, /* no live_ref of a record */
};

struct file_place {
	uint64_t hash; /* 0: free */
	live_ref ref;
};

/* Mutable: of one live profile.  Who adds a file has the lock. */
static struct {
	struct lock lock;
	uint32_t generation; /* of the profile, and one more */
	uint32_t count, record_count;
	unsigned highest; /* descriptor that was known */
	uint64_t moves;   /* of the current directory */
	struct arena *arena;
	struct arena_small small;
	live_ref others;
} files RESET_AT_FORK;
static struct file_place file_places[FILE_PLACES]; /* by path and kind */
static struct file_place aliases[ALIASES];         /* by the program's names */
static live_ref descriptors[DESCRIPTORS];
static uint64_t positions[DESCRIPTORS];
/* With the lock, since a handler's stack may be small. */
static char path_room[PATH_MAX];

/* With the lock: nothing of another profile is known. */
static void reset_files(void)
{
	if (files.record_count) {
		memset(file_places, 0, sizeof(file_places));
		memset(aliases, 0, sizeof(aliases));
	}
	for (unsigned fd = 0; fd <= files.highest; fd++)
		if (descriptors[fd])
			descriptors[fd] = 0;
	files.count = files.record_count = files.highest = 0;
	files.small = (struct arena_small){ 0 };
	files.others = 0;
}

static inline bool files_are_known(void)
{
	return __atomic_load_n(&files.generation, __ATOMIC_ACQUIRE) ==
	       registry_generation() + 1;
}

/* By a thread that is in use; false: there is no profile. */
static bool have_files(void)
{
	struct arena *arena = registry_open();

	if (!arena || files_are_known())
		return arena;
	lock_take(&files.lock);
	if (!files_are_known()) {
		reset_files();
		files.arena = arena;
		__atomic_store_n(&files.generation, registry_generation() + 1,
				 __ATOMIC_RELEASE);
	}
	lock_give(&files.lock);
	return true;
}

static struct live_io_file *file_at(live_ref ref)
{
	return ref > NOT_A_FILE ? arena_at(files.arena, ref) : NULL;
}

/*
 * Records
 */

static live_ref put_path(const char *text, uint32_t length)
{
	live_ref ref = arena_small(files.arena, &files.small,
				   sizeof(struct live_text) + length + 1);
	struct live_text *to;

	if (!ref)
		return 0;
	to = arena_at(files.arena, ref);
	to->length = length;
	memcpy(to->text, text, length);
	return ref;
}

/* With the lock.  All records begin with the reference of the next. */
static void publish_record(live_ref *head, live_ref ref)
{
	*(live_ref *)arena_at(files.arena, ref) = *head;
	__atomic_store_n(head, ref, __ATOMIC_RELEASE);
	files.record_count++;
}

/* With the lock; 0: no memory. */
static live_ref put_file(const struct live_io_file *like, const char *path)
{
	live_ref *head = &registry_header()->files;
	live_ref ref = arena_small(files.arena, &files.small,
				   sizeof(struct live_io_file));
	struct live_io_file *f;

	if (!ref)
		return 0;
	f = arena_at(files.arena, ref);
	*f = *like;
	f->path = put_path(path, (uint32_t)strlen(path));
	f->first_ns = time_now(CLOCK_MONOTONIC);
	f->owner = thread_record->index; /* it is in use */
	publish_record(head, ref);
	return ref;
}

live_ref io_files_record(live_ref *head, uint64_t size)
{
	live_ref ref = 0;

	lock_take(&files.lock);
	if (files.record_count < RECORDS)
		ref = arena_small(files.arena, &files.small, size);
	if (ref)
		publish_record(head, ref);
	lock_give(&files.lock);
	return ref;
}

/* With the lock: the thread's own record; the first one where it has none. */
static struct live_io_file *add_own_record(struct live_io_file *f,
					   const struct thread *t)
{
	const struct live_text *path = arena_at(files.arena, f->path);
	struct live_io_file like = { .kind = f->kind,
				     .system = f->system,
				     .block = f->block };
	struct live_io_file *at = f;
	live_ref ref;

	while (at->owner != t->index && at->more)
		at = arena_at(files.arena, at->more);
	if (at->owner == t->index || files.record_count >= RECORDS || !f->path)
		return at->owner == t->index ? at : f;
	ref = put_file(&like, path->text);
	if (!ref)
		return f;
	at->more = ref;
	return arena_at(files.arena, ref);
}

/* NULL: the thread is busy, or in a sandbox. */
static __attribute__((noinline)) struct live_io_file *
find_record(struct live_io_file *f)
{
	struct thread *t = thread_use();
	struct live_io_file *mine;

	if (!t)
		return NULL;
	lock_take(&files.lock);
	mine = add_own_record(f, t);
	lock_give(&files.lock);
	t->io_last = (struct io_last){ f, mine, registry_generation() };
	thread_release(t);
	return mine;
}

/* `t`: the calling thread; NULL: it is not measured, as of any moment. */
static inline struct live_io_file *own_record(struct live_io_file *f,
					      const struct thread *t)
{
	if (!f || !t || f->owner == t->index)
		return t ? f : NULL;
	return t->io_last.of == f &&
			       t->io_last.generation == registry_generation()
		       ? t->io_last.mine
		       : find_record(f);
}

static live_ref put_others(void)
{
	struct live_io_file others = { .kind = LIVE_FILE_OTHERS };

	if (!files.others)
		files.others = put_file(&others, "");
	return files.others;
}

static uint64_t hash_path(uint64_t hash, const char *path, size_t length)
{
	uint64_t word;

	for (; length > sizeof(word); length -= sizeof(word)) {
		memcpy(&word, path, sizeof(word));
		hash = hash_pair(hash, word);
		path += sizeof(word);
	}
	word = 0;
	memcpy(&word, path, length);
	return hash_pair(hash, word) | 1;
}

/* With the lock.  The file of that path, whose record is made if it is new. */
static live_ref file_record(const struct live_io_file *like, const char *path)
{
	uint64_t hash = hash_path(like->kind, path, strlen(path));
	struct file_place *p;
	uint32_t at = (uint32_t)(hash >> 32);
	live_ref ref;

	for (p = &file_places[at % FILE_PLACES]; p->hash && p->hash != hash;)
		p = &file_places[++at % FILE_PLACES];
	if (p->hash)
		return p->ref;
	if (files.count >= FILES)
		return put_others();
	ref = put_file(like, path);
	files.count += ref > 0;
	if (ref)
		*p = (struct file_place){ hash, ref };
	return ref;
}

/*
 * The program's names of files
 */

static struct file_place *alias_place(uint64_t hash)
{
	return &aliases[(hash >> 32) % ALIASES];
}

/* 0: it is not known. */
static live_ref find_alias(uint64_t hash)
{
	const struct file_place *p = alias_place(hash);
	live_ref ref;

	if (__atomic_load_n(&p->hash, __ATOMIC_ACQUIRE) != hash)
		return 0;
	ref = __atomic_load_n(&p->ref, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&p->hash, __ATOMIC_ACQUIRE) == hash ? ref : 0;
}

static void put_alias(uint64_t hash, live_ref ref)
{
	struct file_place *p = alias_place(hash);

	if (!ref || !hash)
		return;
	lock_take(&files.lock);
	__atomic_store_n(&p->hash, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&p->ref, ref, __ATOMIC_RELEASE);
	__atomic_store_n(&p->hash, hash, __ATOMIC_RELEASE);
	lock_give(&files.lock);
}

/*
 * Descriptors
 */

/* What the kernel makes up. */
static bool is_made_up(const struct statfs *system)
{
	return system->f_type == PROC_SUPER_MAGIC ||
	       system->f_type == SYSFS_MAGIC ||
	       system->f_type == CGROUP_SUPER_MAGIC ||
	       system->f_type == CGROUP2_SUPER_MAGIC;
}

static void set_descriptor(int fd, live_ref ref, int64_t position)
{
	positions[fd] = position > 0 ? (uint64_t)position : 0;
	__atomic_store_n(&descriptors[fd], ref, __ATOMIC_RELEASE);
	if ((unsigned)fd > files.highest)
		files.highest = (unsigned)fd;
}

#define LINK_FOLDER "/proc/self/fd/"

/* With the lock: the descriptor's own path; false: it has none. */
static bool read_path(int fd, bool removed)
{
	static const char deleted[] = " (deleted)";
	const size_t tail = sizeof(deleted) - 1;
	char link[sizeof(LINK_FOLDER) + 10] = LINK_FOLDER;
	char *digit = link + sizeof(link) - 1;
	size_t length;
	long got;

	do
		*--digit = (char)('0' + fd % 10);
	while (fd /= 10);
	memmove(link + strlen(LINK_FOLDER), digit, strlen(digit) + 1);
	got = sys4(SYS_readlinkat, AT_FDCWD, link, path_room,
		   sizeof(path_room) - 1);
	if (got <= 0)
		return false;
	length = (size_t)got;
	path_room[length] = 0;
	if (removed && length > tail &&
	    !strcmp(path_room + length - tail, deleted))
		path_room[length - tail] = 0;
	return true;
}

/* What the kernel says that it is. */
static live_ref ask_descriptor(int fd)
{
	struct stat st;
	struct statfs system;
	struct live_io_file like = { .kind = LIVE_FILE };
	live_ref ref;

	if (sys2(SYS_fstat, fd, &st) || sys2(SYS_fstatfs, fd, &system))
		return 0;
	if ((!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) ||
	    is_made_up(&system))
		return NOT_A_FILE;
	like.system = (uint32_t)system.f_type;
	like.block = (uint32_t)st.st_blksize;
	lock_take(&files.lock);
	/* Without /proc it has no name, and is not asked for one again. */
	ref = read_path(fd, !st.st_nlink) ? file_record(&like, path_room)
					  : put_others();
	lock_give(&files.lock);
	return ref;
}

/*
 * System calls are made by a thread that is in use alone: a sandbox, which all
 * threads may get at once, waits for these.  0: not now.
 */
static __attribute__((noinline)) live_ref learn_descriptor(int fd,
							   uint64_t name)
{
	struct thread *t = thread_use();
	live_ref ref;

	if (!t)
		return 0;
	ref = have_files() ? ask_descriptor(fd) : 0;
	if (ref)
		set_descriptor(fd, ref, sys3(SYS_lseek, fd, 0, SEEK_CUR));
	put_alias(name, ref);
	thread_release(t);
	return ref;
}

struct live_io_file *io_file_of(int fd)
{
	live_ref ref = 0;

	if ((unsigned)fd >= DESCRIPTORS)
		return NULL;
	if (files_are_known())
		ref = __atomic_load_n(&descriptors[fd], __ATOMIC_ACQUIRE);
	return file_at(ref ? ref : learn_descriptor(fd, 0));
}

static uint64_t hash_name(const char *path, size_t length)
{
	uint64_t moves = *path == '/' ? 0 : files.moves + 1;

	return hash_path(moves << 8, path, length);
}

void io_file_opened(int fd, const char *path)
{
	uint64_t name = path ? hash_name(path, strlen(path)) : 0;
	struct live_io_file *f;
	live_ref ref;

	if ((unsigned)fd >= DESCRIPTORS)
		return;
	ref = name && files_are_known() ? find_alias(name) : 0;
	if (ref)
		set_descriptor(fd, ref, 0);
	else
		ref = learn_descriptor(fd, name);
	f = own_record(file_at(ref), thread_self());
	if (f)
		f->opens++;
}

void io_file_forget(unsigned first, unsigned last)
{
	unsigned highest = files.highest;

	if (!files_are_known())
		return;
	for (unsigned fd = first; fd <= last && fd <= highest; fd++)
		if (descriptors[fd])
			__atomic_store_n(&descriptors[fd], 0, __ATOMIC_RELEASE);
}

void io_file_seek(int fd, int64_t position)
{
	if ((unsigned)fd < DESCRIPTORS && position >= 0)
		positions[fd] = (uint64_t)position;
}

void io_file_moved(void)
{
	__atomic_fetch_add(&files.moves, 1, __ATOMIC_RELAXED);
}

/*
 * Directories
 */

/* With the lock: the directory's own path; false: it is too long. */
static bool make_directory_path(const char *path, size_t length)
{
	size_t here = 0;

	if (*path != '/') {
		long got = sys2(SYS_getcwd, path_room, sizeof(path_room));

		if (got <= 1)
			return false;
		here = (size_t)got - 1;
		if (length)
			path_room[here++] = '/';
	} else if (!length) {
		length = 1;
	}
	if (here + length >= sizeof(path_room))
		return false;
	memcpy(path_room + here, path, length);
	path_room[here + length] = 0;
	return true;
}

static live_ref ask_directory(const char *path, size_t length)
{
	struct live_io_file like = { .kind = LIVE_FILE_DIRECTORY };
	live_ref ref = NOT_A_FILE;
	struct statfs system;

	lock_take(&files.lock);
	if (make_directory_path(path, length) &&
	    !sys2(SYS_statfs, path_room, &system) && !is_made_up(&system)) {
		like.system = (uint32_t)system.f_type;
		ref = file_record(&like, path_room);
	}
	lock_give(&files.lock);
	return ref;
}

static __attribute__((noinline)) live_ref
learn_directory(const char *path, size_t length, uint64_t name)
{
	struct thread *t = thread_use();
	live_ref ref;

	if (!t)
		return 0;
	ref = have_files() ? ask_directory(path, length) : 0;
	put_alias(name, ref);
	thread_release(t);
	return ref;
}

struct live_io_file *io_file_directory(const char *path)
{
	const char *end = strrchr(path, '/');
	size_t length = end ? (size_t)(end - path) : 0;
	uint64_t name;
	live_ref ref;

	if (!*path)
		return NULL;
	while (length > 1 && path[length - 1] == '/')
		length--;
	name = hash_name(path, length) ^ LIVE_FILE_DIRECTORY << 1;
	ref = files_are_known() ? find_alias(name) : 0;
	return file_at(ref ? ref : learn_directory(path, length, name));
}

/*
 * What was done
 */

/* Columns from reads_100 or writes_100 on. */
static uint32_t size_column(uint64_t bytes)
{
	static const uint64_t most[] = { 100,       1 << 10,   10 << 10,
					 100 << 10, 1 << 20,   4 << 20,
					 10 << 20,  100 << 20, 1 << 30 };
	uint32_t i = 0;

	while (i < sizeof(most) / sizeof(*most) && bytes > most[i])
		i++;
	return i;
}

static void count_order(struct live_io_file *f, bool writes, uint64_t from,
			uint64_t to)
{
	uint64_t *end = writes ? &f->write_end : &f->read_end;
	uint32_t now = writes ? 2 : 1;

	if (from == *end)
		++*(writes ? &f->write_next : &f->read_next);
	else if (from > *end)
		++*(writes ? &f->write_ahead : &f->read_ahead);
	*end = to;
	if (f->last != now) {
		f->switches += f->last > 0;
		f->last = now;
	}
	if (f->block && from % f->block)
		f->unaligned++;
	if (to > f->extent)
		f->extent = to;
}

static uint64_t piece_begin(const struct io_piece *p)
{
	uint64_t at;

	if (p->at != IO_AT_POSITION)
		return (uint64_t)p->at;
	at = positions[p->fd];
	positions[p->fd] = at + (uint64_t)p->bytes;
	return at;
}

/* The longest call of a kind, and where it was. */
static void note_longest(uint64_t *most, live_ref *node,
			 const struct io_piece *p)
{
	if (p->ns <= *most)
		return;
	*most = p->ns;
	if (p->node)
		*node = p->node;
}

static void count_read(struct live_io_file *f, const struct io_piece *p)
{
	(&f->reads_100)[size_column((uint64_t)p->bytes)]++;
	f->read_bytes += (uint64_t)p->bytes;
	f->read_ns += p->ns;
	note_longest(&f->read_most_ns, &f->read_node, p);
}

static void count_write(struct live_io_file *f, const struct io_piece *p)
{
	(&f->writes_100)[size_column((uint64_t)p->bytes)]++;
	f->written_bytes += (uint64_t)p->bytes;
	f->write_ns += p->ns;
	note_longest(&f->write_most_ns, &f->write_node, p);
}

static void count_data(struct thread *t, struct live_io_file *f,
		       const struct io_piece *p)
{
	bool writes = p->kind == LIVE_IO_WRITE;
	uint64_t from = piece_begin(p);

	if (writes)
		count_write(f, p);
	else
		count_read(f, p);
	if (p->stream)
		f->stream_bytes += (uint64_t)p->bytes;
	count_order(f, writes, from, from + (uint64_t)p->bytes);
	f->last_ns = p->end_ns;
	io_times_count(t, p);
}

static void count_other(struct live_io_file *f, const struct io_piece *p)
{
	f->others++;
	f->other_ns += p->ns;
	note_longest(&f->other_most_ns, &f->other_node, p);
	f->looks += p->kind == LIVE_IO_LOOK;
	f->seeks += p->kind == LIVE_IO_SEEK;
	if (p->kind == LIVE_IO_SYNC) {
		f->syncs++;
		f->sync_ns += p->ns;
	}
}

void io_file_count(struct live_io_file *f, const struct io_piece *p)
{
	struct thread *t = thread_self();

	f = own_record(f, t);
	if (!f)
		return;
	f->failed += p->bytes < 0;
	if (p->kind > LIVE_IO_WRITE)
		count_other(f, p);
	else if (p->bytes >= 0)
		count_data(t, f, p);
}

AT_FORK static void io_files_forked(void)
{
	lock_open(&files.lock);
}

const struct source source_io_files = {
	.fork = io_files_forked,
};
