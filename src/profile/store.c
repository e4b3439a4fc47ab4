/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - HDF5 files of plain columns, written in one go. */
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/regular.h"
#include "base/str.h"
#include "profile/deflate.h"
#include "profile/toc.h"
#include "profile/store.h"

enum {
	COMPACT_BYTES = 512,    /* up to here a column lives in its header */
	CHUNK_BYTES = 16 << 20, /* a column below is one chunk, without index */
	DEFLATE_LEVEL = 4,
	ATTRIBUTES = 128, /* kept in the group's header, as are … */
	LINKS = 64,       /* … these: no heap, no tree */
	NAME_MAX_BYTES = 256,
	LIST_MAX = 65536,
	LARGE_BLOCK = 1 << 20,
	LARGE_FILE = 64 << 20,
	TAKEN_FREE = 64 << 20, /* what each file may become, and … */
	TAKEN_RATIO = 100,     /* … more for each of its bytes */
};

/*
 * HDF5 is for one thread at a time: a store that uses it keeps the others out
 * until it is closed.  Recursive, since a thread may have two.
 */
static pthread_mutex_t hdf5_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

struct reused_buffer { /* memory that is used again */
	void *at;
	size_t size;
};

struct store {
	hid_t file; /* invalid: everything is read by the shortcut */
	struct shortcut *shortcut; /* NULL: none */
	bool locked, ends_late, large;
	int dir; /* as regular.h has it */
	char *path;
	char *temporary;                   /* NULL: reading */
	int fd;                            /* what is open */
	uint64_t bytes;                    /* of what is read */
	uint64_t taken;                    /* of memory for it, until now */
	struct file_extent piece;          /* of the file; size 0: all of it */
	struct reused_buffer packed, work; /* of chunks that are read */
	int err;
	char reason[400];
};

static const size_t widths[] = {
	[STORE_U8] = 1,  [STORE_U16] = 2, [STORE_U32] = 4,
	[STORE_I32] = 4, [STORE_U64] = 8, [STORE_F64] = 8,
};

/* The same in memory and in the file: copse runs on little-endian machines. */
static hid_t number_type(enum store_type type)
{
	switch (type) {
	case STORE_U8:
		return H5T_STD_U8LE;
	case STORE_U16:
		return H5T_STD_U16LE;
	case STORE_U32:
		return H5T_STD_U32LE;
	case STORE_I32:
		return H5T_STD_I32LE;
	case STORE_U64:
		return H5T_STD_U64LE;
	default:
		return H5T_IEEE_F64LE;
	}
}

static bool is_text(enum store_type type)
{
	return type == STORE_TEXT || type == STORE_CHARS;
}

/* Any identifier but a predefined type. */
static void close_id(hid_t id)
{
	if (id >= 0)
		H5Idec_ref(id);
}

int store_fail(struct store *s, int err, const char *fmt, ...)
{
	char what[300];
	va_list args;

	if (s->err)
		return store_error(s);
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	snprintf(s->reason, sizeof(s->reason), "%s: %s", s->path, what);
	s->err = err;
	return store_error(s);
}

int store_error(struct store *s)
{
	return s->err ? fail(s->err, "%s", s->reason) : 0;
}

/* The innermost reason; of a failed system call only what the system said. */
static herr_t take_reason(unsigned int n, const H5E_error2_t *error, void *to)
{
	static const char before[] = "error message = '";
	const char *why = n ? NULL : error->desc;
	const char *system = why ? strstr(why, before) : NULL;

	if (system) {
		why = system + sizeof(before) - 1;
		snprintf(to, 160, "%.*s", (int)strcspn(why, "'"), why);
	} else if (why) {
		snprintf(to, 160, "%s", why);
	}
	return 0;
}

/*
 * Whether there is to be memory for these values.  A file of zeros can say that
 * it holds a thousand times its size, in each of its columns: no profile does.
 */
static bool may_take_column(struct store *s, const char *name, size_t count,
			    size_t width)
{
	uint64_t most = s->bytes * TAKEN_RATIO + TAKEN_FREE, size;

	if (!__builtin_mul_overflow(count, width, &size) &&
	    size <= most - s->taken) {
		s->taken += size;
		return true;
	}
	store_fail(s, -EINVAL,
		   "not believed: with '%s' it becomes %d times as large, "
		   "or more",
		   name, TAKEN_RATIO);
	return false;
}

/*
 * As store_fail(), with the innermost of HDF5's own reasons: those of its last
 * call, so this comes before anything is closed.
 */
static int hdf5_fail(struct store *s, const char *what, const char *name)
{
	char why[160] = "no reason given";

	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, why);
	return store_fail(s, -EIO, "%s%s (%s)", what, name, why);
}

static struct store *store_new(int dir, const char *path)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->file = H5I_INVALID_HID;
	s->dir = dir;
	s->fd = -1;
	s->path = strdup(path);
	if (!s->path) {
		free(s);
		return NULL;
	}
	return s;
}

static void hdf5_begin(struct store *s)
{
	pthread_mutex_lock(&hdf5_lock);
	s->locked = true;
	/* What a full disk kept from being closed, it would close at exit once
	   more, and crash. */
	H5dont_atexit();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	/* A file's contents stand in itself: it names no others. */
	H5Lunregister(H5L_TYPE_EXTERNAL);
}

/*
 * What signals find: files that are not complete.  A few at a time.
 */
static const char *_Atomic unfinished[4];

enum {
	UNFINISHED = sizeof(unfinished) / sizeof(unfinished[0])
};

static void note_unfinished(const char *path)
{
	for (size_t i = 0; i < UNFINISHED; i++) {
		const char *none = NULL;

		if (atomic_compare_exchange_strong(&unfinished[i], &none, path))
			return;
	}
}

static void forget_unfinished(const char *path)
{
	for (size_t i = 0; i < UNFINISHED; i++) {
		const char *same = path;

		if (path &&
		    atomic_compare_exchange_strong(&unfinished[i], &same, NULL))
			return;
	}
}

/* SA_RESETHAND: the second time it ends the process. */
static void remove_unfinished(int signo)
{
	for (size_t i = 0; i < UNFINISHED; i++) {
		const char *path = atomic_load(&unfinished[i]);

		if (path)
			unlink(path);
	}
	raise(signo);
}

void store_mind_signals(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = remove_unfinished,
				    .sa_flags = SA_RESETHAND },
			 old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->file >= 0 && !s->locked)
		hdf5_begin(s);
	if (s->file >= 0)
		H5Fclose(s->file);
	if (s->locked)
		pthread_mutex_unlock(&hdf5_lock);
	shortcut_free(s->shortcut);
	free(s->packed.at);
	free(s->work.at);
	if (s->fd >= 0)
		close(s->fd);
	if (s->temporary)
		unlinkat(s->dir, regular_part(s->dir, s->temporary), 0);
	forget_unfinished(s->temporary);
	free(s->temporary);
	free(s->path);
	free(s);
}

void store_rest(struct store *s)
{
	if (s->locked)
		pthread_mutex_unlock(&hdf5_lock);
	s->locked = false;
}

/*
 * The whole file is kept in memory, and read or written at once: parallel file
 * systems are slow at many small requests, and we need all of it anyway; but
 * for databases of large jobs, whose requests are large, too.
 * There, locks often fail, and nobody writes what we read.
 */
static hid_t file_access(bool write, bool large)
{
	hid_t access = H5Pcreate(H5P_FILE_ACCESS);

	if (large)
		H5Pset_meta_block_size(access, LARGE_BLOCK);
	else
		H5Pset_fapl_core(access, 1 << 16, write);
	H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
	H5Pset_file_locking(access, false, true);
	H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
	return access;
}

static hid_t group_properties(hid_t class)
{
	hid_t how = H5Pcreate(class);

	H5Pset_link_phase_change(how, LINKS, LINKS / 2);
	H5Pset_attr_phase_change(how, ATTRIBUTES, ATTRIBUTES / 2);
	H5Pset_obj_track_times(how, false);
	return how;
}

/* What is renamed to that name replaces it, and a device is not a file. */
static bool is_replaceable(const struct store *s)
{
	struct stat st;

	return fstatat(s->dir, regular_part(s->dir, s->path), &st, 0) ||
	       S_ISREG(st.st_mode);
}

/*
 * HDF5 opens by name what is open here: by one that nobody can exchange, where
 * there is a /proc.
 */
static const char *name_again(const struct store *s, char to[REGULAR_NAME])
{
	regular_name(to, s->fd);
	if (!access(to, F_OK))
		return to;
	return s->temporary ? s->temporary : s->path;
}

static int create_file(struct store *s, bool large)
{
	char name[REGULAR_NAME];
	hid_t access, how;

	if (!is_replaceable(s))
		return store_fail(s, -EEXIST,
				  "cannot be written: not a regular file");
	note_unfinished(s->temporary); /* before it is there */
	s->fd = regular_create(s->dir, s->temporary);
	if (s->fd < 0)
		return store_fail(s, s->fd, "cannot be written: %s",
				  strerror(-s->fd));
	hdf5_begin(s);
	access = file_access(true, large);
	how = group_properties(H5P_FILE_CREATE);
	s->file = H5Fcreate(name_again(s, name), H5F_ACC_TRUNC, how, access);
	if (s->file < 0)
		hdf5_fail(s, "cannot be written", "");
	close_id(how);
	close_id(access);
	return s->err;
}

struct file_mark {
	char *format;
	uint32_t version;
};
static const struct store_field mark_fields[] = {
	STORE_FIELD(struct file_mark, format),
	STORE_FIELD(struct file_mark, version),
	{ 0 },
};

char *store_temporary(const char *path, pid_t pid)
{
	return str_format("%s.part%ld", path, (long)pid);
}

static int create_store(struct store **to, int dir, const char *path,
			const char *format, uint32_t version, bool large)
{
	struct file_mark mark = { (char *)format, version };
	struct store *s = store_new(dir, path);
	int err;

	if (!s)
		return fail(-ENOMEM, "%s: out of memory", path);
	s->large = large;
	s->temporary = store_temporary(path, getpid());
	s->shortcut = large ? NULL : shortcut_new();
	err = s->temporary && (large || s->shortcut)
		      ? create_file(s, large)
		      : store_fail(s, -ENOMEM, "out of memory");
	if (!err) {
		store_put_record(s, "/", mark_fields, &mark);
		err = store_error(s);
	}
	if (err)
		store_close(s);
	else
		*to = s;
	return err;
}

int store_create(struct store **to, const char *path, const char *format,
		 uint32_t version)
{
	return create_store(to, AT_FDCWD, path, format, version, false);
}

int store_create_in(struct store **to, int dir, const char *path,
		    const char *format, uint32_t version)
{
	return create_store(to, dir, path, format, version, false);
}

int store_create_large(struct store **to, const char *path, const char *format,
		       uint32_t version)
{
	return create_store(to, AT_FDCWD, path, format, version, true);
}

/* Gives the file its name. */
static void rename_file(struct store *s)
{
	if (renameat(s->dir, regular_part(s->dir, s->temporary), s->dir,
		     regular_part(s->dir, s->path))) {
		store_fail(s, -errno, "cannot be written: %s", strerror(errno));
		return;
	}
	forget_unfinished(s->temporary); /* nothing is left of it */
	free(s->temporary);
	s->temporary = NULL;
}

int store_commit(struct store *s)
{
	int err;

	if (H5Fclose(s->file) < 0)
		hdf5_fail(s, "cannot be written", "");
	s->file = H5I_INVALID_HID;
	if (!s->err && s->shortcut) {
		err = shortcut_append(s->shortcut, s->fd);
		if (err)
			store_fail(s, err, "cannot be written: %s",
				   strerror(-err));
	}
	/* On NFS a full disk may be known only now. */
	if (close(s->fd) && !s->err)
		store_fail(s, -errno, "cannot be written: %s", strerror(errno));
	s->fd = -1;
	if (!s->err)
		rename_file(s);
	err = store_error(s);
	store_close(s);
	return err;
}

/* How an HDF5 file begins, of the versions that we write: 2 and 3. */
struct superblock {
	char signature[8];
	uint8_t version, offsets, lengths, flags;
	uint8_t more[16];
	uint8_t end[8]; /* of the file, as HDF5 knows it */
};

/* What stands behind HDF5's end is a list, or what is left of one. */
static bool ends_late(const struct superblock *begin, uint64_t bytes)
{
	uint64_t end;

	memcpy(&end, begin->end, sizeof(end));
	return (begin->version == 2 || begin->version == 3) &&
	       begin->offsets == sizeof(end) && end < bytes;
}

/* The path is a regular file that begins as HDF5 files do. */
static int look_at_file(struct store *s)
{
	static const char signature[8] = "\211HDF\r\n\032\n";
	struct superblock begin = { 0 };
	struct stat st = { 0 };

	s->fd = regular_open(s->dir, s->path, O_RDONLY);
	if (s->fd == -EISDIR)
		store_fail(s, -EISDIR, "is a directory");
	else if (s->fd == -EINVAL)
		store_fail(s, -EINVAL, "not a regular file");
	else if (s->fd < 0)
		store_fail(s, s->fd, "%s", strerror(-s->fd));
	else if (fstat(s->fd, &st) < 0)
		store_fail(s, -errno, "%s", strerror(errno));
	else if (!st.st_size)
		store_fail(s, -EINVAL, "is empty");
	else if (pread(s->fd, &begin, sizeof(begin), (off_t)s->piece.at) < 0)
		store_fail(s, -errno, "%s", strerror(errno));
	else if (memcmp(begin.signature, signature, sizeof(signature)) != 0)
		store_fail(s, -EINVAL, "not an HDF5 file");
	s->bytes = s->piece.size ? s->piece.size : (uint64_t)st.st_size;
	s->ends_late = ends_late(&begin, s->bytes);
	return s->err;
}

static int check_mark(struct store *s, const char *format, uint32_t version)
{
	struct file_mark mark = { 0 };

	store_get_record(s, "/", mark_fields, &mark);
	if (!mark.format || strcmp(mark.format, format) != 0 || s->err) {
		s->err = 0; /* our sentence says more */
		store_fail(s, -EINVAL, "an HDF5 file, but no %s", format);
	} else if (mark.version > version) {
		store_fail(s, -EINVAL,
			   "format version %u is newer than this copse reads "
			   "(%u)",
			   mark.version, version);
	}
	free(mark.format);
	return store_error(s);
}

/* The bytes of a piece, by malloc, for HDF5 to take for a file. */
static void *piece_image(const struct store *s)
{
	void *image = malloc(s->piece.size);

	if (image && pread(s->fd, image, s->piece.size, (off_t)s->piece.at) !=
			     (ssize_t)s->piece.size) {
		free(image);
		image = NULL;
	}
	return image;
}

/* It wants a name of no file: nothing is below a file. */
static hid_t open_image(struct store *s, hid_t access)
{
	void *image = piece_image(s);
	char *name = str_format("%s/piece", s->path);
	hid_t file = H5I_INVALID_HID;

	if (!image || !name)
		store_fail(s, -EIO, "cannot be read");
	else if (H5Pset_file_image(access, image, s->piece.size) >= 0)
		file = H5Fopen(name, H5F_ACC_RDONLY, access);
	free(name);
	free(image);
	return file;
}

static int open_store_file(struct store *s)
{
	int err = shortcut_open(&s->shortcut, s->fd, s->piece);
	char name[REGULAR_NAME];
	hid_t access;

	if (err)
		return store_fail(s, err, "%s",
				  err == -EINVAL ? "truncated or damaged"
						 : strerror(-err));
	if (s->shortcut) { /* all of it was read */
		close(s->fd);
		s->fd = -1;
		return 0;
	}
	if (s->ends_late)
		return store_fail(s, -EINVAL, "truncated or damaged");
	hdf5_begin(s);
	access = file_access(false, s->bytes > LARGE_FILE && !s->piece.size);
	s->file = s->piece.size ? open_image(s, access)
				: H5Fopen(name_again(s, name), H5F_ACC_RDONLY,
					  access);
	if (s->file < 0)
		hdf5_fail(s, "truncated or damaged", "");
	close_id(access);
	return s->err;
}

int store_open(struct store **to, const char *path, const char *format,
	       uint32_t version)
{
	return store_open_piece(to, path, (struct file_extent){ 0 }, format,
				version);
}

int store_open_piece(struct store **to, const char *path,
		     struct file_extent piece, const char *format,
		     uint32_t version)
{
	struct store *s = store_new(AT_FDCWD, path);
	int err;

	if (!s)
		return fail(-ENOMEM, "%s: out of memory", path);
	s->piece = piece;
	if (!look_at_file(s) && !open_store_file(s))
		check_mark(s, format, version);
	err = store_error(s);
	if (err)
		store_close(s);
	else
		*to = s;
	return err;
}

/* Columns */

static hid_t chunk_properties(bool text, hsize_t chunk)
{
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);

	H5Pset_obj_track_times(how, false);
	H5Pset_dset_no_attrs_hint(how, true);
	H5Pset_chunk(how, 1, &chunk);
	if (!text)
		H5Pset_shuffle(how);
	H5Pset_deflate(how, DEFLATE_LEVEL);
	return how;
}

/* Values; 0: they live in the header. */
static size_t column_chunk(size_t width, size_t count)
{
	size_t chunk = CHUNK_BYTES / width ? CHUNK_BYTES / width : 1;

	if (width * count <= COMPACT_BYTES)
		return 0;
	return chunk < count ? chunk : count;
}

static hid_t column_properties(bool text, size_t width, size_t count)
{
	size_t chunk = column_chunk(width, count);
	hid_t how;

	if (chunk)
		return chunk_properties(text, chunk);
	how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_obj_track_times(how, false);
	H5Pset_dset_no_attrs_hint(how, true);
	H5Pset_layout(how, H5D_COMPACT);
	return how;
}

/* The group; made, with those above it, when it is not there. */
static hid_t group_open(struct store *s, const char *name)
{
	const char *slash = strrchr(name, '/');
	char above[NAME_MAX_BYTES];
	hid_t group, how;

	if (!s->temporary || H5Lexists(s->file, name, H5P_DEFAULT) > 0)
		return H5Gopen2(s->file, name, H5P_DEFAULT);
	/* HDF5 would make them with times: files would differ. */
	if (slash && (size_t)(slash - name) < sizeof(above)) {
		snprintf(above, sizeof(above), "%.*s", (int)(slash - name),
			 name);
		close_id(group_open(s, above));
	}
	how = group_properties(H5P_GROUP_CREATE);
	group = H5Gcreate2(s->file, name, H5P_DEFAULT, how, H5P_DEFAULT);
	close_id(how);
	return group;
}

static int join_names(struct store *s, char *to, const char *group,
		      const char *name)
{
	int n = snprintf(to, NAME_MAX_BYTES, "%s/%s", group, name);

	return n < NAME_MAX_BYTES
		       ? 0
		       : store_fail(s, -ENAMETOOLONG, "'%s' is too long", name);
}

/* The group that `name` stands in, and its name there. */
static hid_t parent_open(struct store *s, const char *name, const char **leaf)
{
	char group[NAME_MAX_BYTES] = "/";

	*leaf = str_base(name);
	if (*leaf - name > NAME_MAX_BYTES)
		return H5I_INVALID_HID;
	if (*leaf != name)
		snprintf(group, *leaf - name, "%s", name);
	return group_open(s, group);
}

/* What the list behind the file says of a column or an attribute. */
static void list_entry(struct store *s, const char *group, char between,
		       const char *name, const struct shortcut_entry *entry,
		       const void *values)
{
	char path[2 * NAME_MAX_BYTES];

	if (!s->shortcut)
		return;
	snprintf(path, sizeof(path), "%s%c%s", group, between, name);
	if (shortcut_add(s->shortcut, between ? path : group, entry, values))
		store_fail(s, -ENOMEM, "out of memory");
}

/* A column that is one chunk stands in the file as the list says. */
static void list_column(struct store *s, const char *name, hid_t set,
			enum store_type type, size_t width, const void *values,
			size_t count)
{
	struct shortcut_entry entry = { .type = (uint16_t)type,
					.width = (uint32_t)width,
					.count = count };
	unsigned int skipped = 0;
	haddr_t at = HADDR_UNDEF;
	hsize_t first = 0, size = 0;

	if (!s->shortcut)
		return;
	if (width * count > COMPACT_BYTES) {
		entry.how = is_text(type) || width == 1 ? SHORTCUT_DEFLATE
							: SHORTCUT_SHUFFLE;
		H5Dflush(set);
		H5Dget_chunk_info_by_coord(set, &first, &skipped, &at, &size);
		if (at == HADDR_UNDEF || skipped ||
		    width * count > CHUNK_BYTES || size > UINT32_MAX) {
			shortcut_free(s->shortcut); /* HDF5 alone reads that */
			s->shortcut = NULL;
			return;
		}
		entry.at = at;
		entry.packed = (uint32_t)size;
	}
	list_entry(s, name, 0, "", &entry, values);
}

/* What is packed as HDF5 would, by what is faster; behind the last value: 0. */
struct packing {
	hid_t set;
	const char *values;
	size_t width, count, chunk;
	bool text;
	int level;
	char *packed, *work, *padded;
};

static bool write_chunk(struct packing *p, size_t from)
{
	size_t left = p->count - from, bytes = p->chunk * p->width, size;
	const char *values = p->values + from * p->width;
	hsize_t at = from;

	if (left < p->chunk) {
		memset(p->padded, 0, bytes);
		memcpy(p->padded, values, left * p->width);
		values = p->padded;
	}
	size = deflate_chunk(p->packed, values, p->text ? bytes : p->chunk,
			     p->text ? 1 : p->width, p->level, p->work);
	return size && H5Dwrite_chunk(p->set, H5P_DEFAULT, 0, &at, size,
				      p->packed) >= 0;
}

static bool write_chunks(struct packing *p)
{
	size_t bytes = p->chunk * p->width;
	bool good;

	p->packed = malloc(deflate_most(bytes));
	p->work = malloc(bytes);
	p->padded = malloc(bytes);
	good = p->packed && p->work && p->padded;
	for (size_t i = 0; i < p->count && good; i += p->chunk)
		good = write_chunk(p, i);
	free(p->packed);
	free(p->work);
	free(p->padded);
	return good;
}

static bool write_column_values(const struct store *s, hid_t set,
				enum store_type kind, hid_t type,
				const void *values, size_t count)
{
	struct packing p = { .set = set,
			     .values = values,
			     .width = H5Tget_size(type),
			     .count = count,
			     .text = is_text(kind),
			     .level =
				     s->large ? DEFLATE_QUICK : DEFLATE_LEVEL };

	if (!count)
		return true;
	p.chunk = column_chunk(p.width, count);
	if (p.chunk)
		return write_chunks(&p);
	return H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

static void write_column(struct store *s, const char *name,
			 enum store_type kind, hid_t type, const void *values,
			 size_t count)
{
	size_t width = H5Tget_size(type);
	hid_t group, set = H5I_INVALID_HID;
	hid_t how = column_properties(is_text(kind), width, count);
	hsize_t n = count;
	hid_t space = H5Screate_simple(1, &n, NULL);
	const char *leaf;

	group = parent_open(s, name, &leaf);
	if (group >= 0)
		set = H5Dcreate2(group, leaf, type, space, H5P_DEFAULT, how,
				 H5P_DEFAULT);
	if (set < 0 || !write_column_values(s, set, kind, type, values, count))
		hdf5_fail(s, "cannot be written: ", name);
	else
		list_column(s, name, set, kind, width, values, count);
	close_id(set);
	close_id(group);
	close_id(space);
	close_id(how);
}

void store_put(struct store *s, const char *name, enum store_type type,
	       const void *values, size_t count)
{
	if (!s->err)
		write_column(s, name, type, number_type(type), values, count);
}

struct store_column {
	struct store *store;
	hid_t set;
	size_t chunk;
	/* Of one that is read: */
	hid_t type; /* in memory */
	size_t width, count;
};

/* NULL: out of memory. */
static struct store_column *column_create(struct store *s, const char *name,
					  enum store_type type, hsize_t count,
					  hsize_t chunk)
{
	struct store_column *c = calloc(1, sizeof(*c));
	hid_t how = chunk_properties(false, chunk);
	hid_t space = H5Screate_simple(1, &count, NULL);
	const char *leaf;
	hid_t group = parent_open(s, name, &leaf);

	if (c) {
		c->store = s;
		c->chunk = chunk;
		c->set = H5I_INVALID_HID;
	}
	if (c && group >= 0)
		c->set = H5Dcreate2(group, leaf, number_type(type), space,
				    H5P_DEFAULT, how, H5P_DEFAULT);
	if (c && c->set < 0)
		hdf5_fail(s, "cannot be written: ", name);
	close_id(group);
	close_id(space);
	close_id(how);
	return c;
}

struct store_column *store_column_new(struct store *s, const char *name,
				      enum store_type type, size_t count,
				      size_t chunk)
{
	struct store_column *c;

	if (s->err)
		return NULL;
	c = column_create(s, name, type, count, chunk);
	if (!c)
		store_fail(s, -ENOMEM, "out of memory");
	if (s->err) {
		store_column_close(c);
		return NULL;
	}
	return c;
}

int store_column_chunk(struct store_column *c, size_t index, const void *packed,
		       size_t size)
{
	hsize_t at = (hsize_t)index * c->chunk;

	if (H5Dwrite_chunk(c->set, H5P_DEFAULT, 0, &at, size, packed) < 0)
		return hdf5_fail(c->store, "cannot be written", "");
	return 0;
}

void store_column_close(struct store_column *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&hdf5_lock);
	close_id(c->set);
	pthread_mutex_unlock(&hdf5_lock);
	free(c);
}

/* The length of a column that exists, as far as the file can hold it. */
static int column_count(struct store *s, const char *name, hid_t set,
			size_t width, size_t *count)
{
	hid_t space = H5Dget_space(set);
	hsize_t n = 0;
	int dimensions = H5Sget_simple_extent_ndims(space);

	if (dimensions == 1)
		H5Sget_simple_extent_dims(space, &n, NULL);
	close_id(space);
	if (dimensions != 1)
		return store_fail(s, -EINVAL, "'%s' is not one column", name);
	if (!width || n > s->bytes * DEFLATE_RATIO / width)
		return store_fail(s, -EINVAL,
				  "'%s' is longer than the file can hold",
				  name);
	*count = n;
	return 0;
}

/*
 * A chunk as we write it is unpacked here, by deflate.h, which takes half of
 * HDF5's time.
 */

/* Its values; 0: the column is packed in another way, or not in chunks. */
static size_t own_chunk(hid_t set, size_t width)
{
	static const H5Z_filter_t ours[] = { H5Z_FILTER_SHUFFLE,
					     H5Z_FILTER_DEFLATE };
	hid_t how = H5Dget_create_plist(set);
	hsize_t chunk = 0;
	int count = H5Pget_nfilters(how);
	bool good = count == 2 || (count == 1 && width == 1);

	for (int i = 0; i < count && good; i++) {
		unsigned int flags, values[8];
		size_t room = 8;

		good = H5Pget_filter2(how, (unsigned int)i, &flags, &room,
				      values, 0, NULL,
				      NULL) == ours[2 - count + i];
	}
	if (!good || H5Pget_layout(how) != H5D_CHUNKED ||
	    H5Pget_chunk(how, 1, &chunk) != 1)
		chunk = 0;
	close_id(how);
	return chunk;
}

static void *room_for(struct reused_buffer *room, size_t size)
{
	if (size > room->size) {
		free(room->at);
		room->at = malloc(size);
		room->size = room->at ? size : 0;
	}
	return room->at;
}

/* False: HDF5 shall try, and say what is wrong. */
static bool read_chunk(struct store *s, hid_t set, hsize_t from, size_t chunk,
		       size_t width, void *to)
{
	hsize_t size = 0;
	uint32_t left_out = 0;
	char *packed, *work;
	bool good;

	if (H5Dget_chunk_storage_size(set, &from, &size) < 0 || !size ||
	    size > s->bytes)
		return false;
	packed = room_for(&s->packed, size + DEFLATE_BEHIND);
	work = room_for(&s->work, chunk * width);
	if (packed)
		memset(packed + size, 0, DEFLATE_BEHIND);
	good = packed && work &&
	       H5Dread_chunk(set, H5P_DEFAULT, &from, &left_out, packed) >= 0 &&
	       !left_out &&
	       !inflate_chunk(to, chunk, width, packed, size,
			      width > 1 ? work : NULL);
	return good;
}

static bool read_one_chunk(struct store *s, hid_t set, hid_t type, size_t count,
			   void *to)
{
	size_t width = H5Tget_size(type);
	hid_t there = H5Dget_type(set);
	bool good = H5Tequal(there, type) > 0 && own_chunk(set, width) == count;

	close_id(there);
	return good && read_chunk(s, set, 0, count, width, to);
}

/* `type` is what the values become in memory. */
static void *read_values(struct store *s, const char *name, hid_t set,
			 hid_t type, size_t *count)
{
	size_t width = H5Tget_size(type);
	void *values;

	if (column_count(s, name, set, width, count) || !*count)
		return NULL;
	if (!may_take_column(s, name, *count, width))
		return NULL;
	values = malloc(*count * width);
	if (!values) {
		store_fail(s, -ENOMEM, "out of memory");
		return NULL;
	}
	if (read_one_chunk(s, set, type, *count, values) ||
	    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0)
		return values;
	hdf5_fail(s, "damaged, cannot read ", name);
	free(values);
	return NULL;
}

static void cannot_open(struct store *s, const char *what, const char *name)
{
	bool there = H5Lexists(s->file, name, H5P_DEFAULT) > 0;

	store_fail(s, -EINVAL, "the %s '%s' is %s", what, name,
		   there ? "damaged" : "missing");
}

/* Values in files that the file names: external storage, virtual datasets. */
static bool is_elsewhere(hid_t set)
{
	hid_t how = H5Dget_create_plist(set);
	bool is = H5Pget_layout(how) == H5D_VIRTUAL ||
		  H5Pget_external_count(how) != 0;

	close_id(how);
	return is;
}

static hid_t column_open(struct store *s, const char *name, H5T_class_t class)
{
	hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT);
	hid_t type;

	if (set < 0) {
		cannot_open(s, "dataset", name);
		return H5I_INVALID_HID;
	}
	type = H5Dget_type(set);
	if (is_elsewhere(set))
		store_fail(s, -EINVAL, "the values of '%s' are in other files",
			   name);
	else if (H5Tget_class(type) != class)
		store_fail(s, -EINVAL, "'%s' has a wrong type", name);
	if (s->err) {
		close_id(set);
		set = H5I_INVALID_HID;
	}
	close_id(type);
	return set;
}

/*
 * By the list: the values of `name`, of that type or, of a text, as wide as it
 * is.  NULL when there are none, or after a failure.
 */
static void *listed_values(struct store *s, const char *what, const char *name,
			   enum store_type type, size_t *width, size_t *count)
{
	const struct shortcut_entry *e = shortcut_find(s->shortcut, name);
	bool text = is_text(type);
	void *values;
	int err;

	*count = 0;
	if (!e) {
		store_fail(s, -EINVAL, "the %s '%s' is missing", what, name);
		return NULL;
	}
	if (text ? e->type != STORE_TEXT
		 : e->type != type || e->width != widths[type]) {
		store_fail(s, -EINVAL, "'%s' has a wrong type", name);
		return NULL;
	}
	if (!e->count || !may_take_column(s, name, e->count, e->width))
		return NULL;
	values = shortcut_values(s->shortcut, e, &err);
	if (!values)
		store_fail(s, err,
			   err == -ENOMEM ? "out of memory%.0s"
					  : "damaged, cannot read %s",
			   name);
	*width = e->width;
	*count = values ? e->count : 0;
	return values;
}

void *store_get(struct store *s, const char *name, enum store_type type,
		size_t *count)
{
	hid_t set;
	void *values = NULL;
	size_t width;

	*count = 0;
	if (s->err)
		return NULL;
	if (s->shortcut)
		return listed_values(s, "dataset", name, type, &width, count);
	set = column_open(s, name, H5Tget_class(number_type(type)));
	if (set >= 0)
		values = read_values(s, name, set, number_type(type), count);
	close_id(set);
	if (s->err)
		*count = 0;
	return values;
}

/* c->chunk: 0 unless they are ours, and no larger than we make them. */
static void look_at_chunks(struct store_column *c, size_t count)
{
	hid_t there = H5Dget_type(c->set);

	c->count = count;
	if (H5Tequal(there, c->type) > 0)
		c->chunk = own_chunk(c->set, c->width);
	if (c->chunk > CHUNK_BYTES / c->width)
		c->chunk = 0;
	close_id(there);
}

struct store_column *store_column_open(struct store *s, const char *name,
				       enum store_type type, size_t *count)
{
	struct store_column *c = s->err ? NULL : calloc(1, sizeof(*c));

	*count = 0;
	if (!c) {
		store_fail(s, -ENOMEM, "out of memory");
		return NULL;
	}
	c->store = s;
	c->type = number_type(type);
	c->set = column_open(s, name, H5Tget_class(c->type));
	c->width = widths[type];
	if (c->set >= 0 && !column_count(s, name, c->set, c->width, count))
		look_at_chunks(c, *count);
	if (!s->err)
		return c;
	store_column_close(c);
	return NULL;
}

static herr_t read_column_part(const struct store_column *c, hsize_t from,
			       hsize_t count, void *to)
{
	hid_t here = H5Screate_simple(1, &count, NULL);
	hid_t there = H5Dget_space(c->set);
	herr_t status = -1;

	if (here >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, &from, NULL,
					     &count, NULL) >= 0)
		status = H5Dread(c->set, c->type, here, there, H5P_DEFAULT, to);
	if (status < 0)
		hdf5_fail(c->store, "damaged, cannot be read", "");
	close_id(there);
	close_id(here);
	return status;
}

/* The last chunk is longer than its values. */
static bool read_whole_chunk(const struct store_column *c, size_t from,
			     size_t count, void *to)
{
	size_t chunk = c->chunk;
	void *all = to;
	bool good;

	if (!chunk || from % chunk || count > chunk ||
	    (count < chunk && from + count < c->count))
		return false;
	if (count < chunk)
		all = malloc(chunk * c->width);
	good = all && read_chunk(c->store, c->set, from, chunk, c->width, all);
	if (good && all != to)
		memcpy(to, all, count * c->width);
	if (all != to)
		free(all);
	return good;
}

int store_column_read(struct store_column *c, size_t from, size_t count,
		      void *to)
{
	struct store *s = c->store;

	if (!count)
		return 0;
	pthread_mutex_lock(&hdf5_lock);
	if (!s->err && !read_whole_chunk(c, from, count, to))
		read_column_part(c, from, count, to);
	pthread_mutex_unlock(&hdf5_lock);
	return store_error(s);
}

/* Strings */

void store_put_strings(struct store *s, const char *name, char *const *strings,
		       size_t count)
{
	size_t bytes = 0;
	char *all, *at;

	for (size_t i = 0; i < count; i++)
		bytes += strlen(strings[i]) + 1;
	at = all = malloc(bytes + 1);
	if (!all) {
		store_fail(s, -ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, strings[i]) + 1;
	store_put(s, name, STORE_U8, all, bytes);
	free(all);
}

char *store_get_strings(struct store *s, const char *name, size_t *count)
{
	size_t bytes = 0;
	char *read = store_get(s, name, STORE_U8, &bytes);
	char *all = s->err ? NULL : realloc(read, bytes + 1);

	*count = 0;
	if (!all) {
		if (!s->err)
			store_fail(s, -ENOMEM, "out of memory");
		free(read);
		return NULL;
	}
	all[bytes] = 0;
	for (size_t i = 0; i < bytes; i++)
		*count += !all[i];
	if (bytes && all[bytes - 1])
		++*count; /* a last one that was not ended */
	return all;
}

static const char *row_text(const struct store_field *field, const char *row)
{
	const char *member = row + field->offset;
	const char *text;

	if (field->type == STORE_CHARS)
		return member;
	memcpy(&text, member, sizeof(text));
	return text ? text : "";
}

static hid_t text_type(size_t width)
{
	hid_t type = H5Tcopy(H5T_C_S1);

	H5Tset_size(type, width);
	H5Tset_strpad(type, H5T_STR_NULLPAD);
	H5Tset_cset(type, H5T_CSET_UTF8);
	return type;
}

static void put_text_column(struct store *s, const char *name,
			    const struct store_field *field, const char *rows,
			    size_t row_size, size_t count)
{
	size_t width = 1;
	hid_t type;
	char *all;

	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(row_text(field, rows + i * row_size));

		width = n > width ? n : width;
	}
	all = calloc(count + 1, width);
	if (!all) {
		store_fail(s, -ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const char *text = row_text(field, rows + i * row_size);

		memcpy(all + i * width, text, strlen(text));
	}
	type = text_type(width);
	write_column(s, name, STORE_TEXT, type, all, count);
	close_id(type);
	free(all);
}

/* Put one text that was read, of at most `width` bytes, into its member. */
static void set_field_text(struct store *s, const struct store_field *field,
			   char *row, const char *text, size_t width)
{
	char *copy;

	if (field->type == STORE_CHARS) {
		size_t n = strnlen(text, width);

		n = n < field->width ? n : field->width - 1;
		memset(row + field->offset, 0, field->width);
		memcpy(row + field->offset, text, n);
		return;
	}
	copy = strndup(text, width);
	if (!copy)
		store_fail(s, -ENOMEM, "out of memory");
	memcpy(row + field->offset, &copy, sizeof(copy));
}

/* The type that a text of the file becomes in memory, or negative. */
static hid_t text_in_memory(hid_t in_file)
{
	hid_t type;

	if (H5Tget_class(in_file) != H5T_STRING || H5Tis_variable_str(in_file))
		return H5I_INVALID_HID;
	type = H5Tcopy(in_file);
	H5Tset_strpad(type, H5T_STR_NULLPAD);
	return type;
}

static void *read_texts(struct store *s, const char *name, size_t *width,
			size_t *count)
{
	hid_t set, in_file, type;
	void *all = NULL;

	if (s->shortcut)
		return listed_values(s, "dataset", name, STORE_TEXT, width,
				     count);
	set = column_open(s, name, H5T_STRING);
	*count = 0;
	if (set < 0)
		return NULL;
	in_file = H5Dget_type(set);
	type = text_in_memory(in_file);
	if (type < 0) {
		store_fail(s, -EINVAL, "'%s' has a wrong type", name);
	} else {
		*width = H5Tget_size(type);
		all = read_values(s, name, set, type, count);
	}
	close_id(type);
	close_id(in_file);
	close_id(set);
	return all;
}

/* Tables */

static void put_number_column(struct store *s, const char *name,
			      const struct store_field *field, const char *rows,
			      size_t row_size, size_t count)
{
	size_t width = widths[field->type];
	char *all = malloc(count * width + 1);

	if (!all) {
		store_fail(s, -ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < count; i++)
		memcpy(all + i * width, rows + i * row_size + field->offset,
		       width);
	store_put(s, name, field->type, all, count);
	free(all);
}

void store_put_table(struct store *s, const char *group,
		     const struct store_field *fields, const void *rows,
		     size_t row_size, size_t count)
{
	char name[NAME_MAX_BYTES];

	for (; fields->name && !s->err; fields++) {
		if (join_names(s, name, group, fields->name))
			return;
		if (is_text(fields->type))
			put_text_column(s, name, fields, rows, row_size, count);
		else
			put_number_column(s, name, fields, rows, row_size,
					  count);
	}
}

struct read_column { /* as it was read */
	char *values;
	size_t width, count;
};

static struct read_column get_column(struct store *s, const char *group,
				     const struct store_field *field)
{
	struct read_column c = { 0 };
	char name[NAME_MAX_BYTES];

	if (s->err || join_names(s, name, group, field->name))
		return c;
	if (is_text(field->type)) {
		c.values = read_texts(s, name, &c.width, &c.count);
	} else {
		c.width = widths[field->type];
		c.values = store_get(s, name, field->type, &c.count);
	}
	return c;
}

/* The same member of all rows; inlined for the width that it has. */
static inline void set_numbers(char *to, size_t row_size,
			       const struct read_column *c, size_t width)
{
	for (size_t i = 0; i < c->count; i++)
		memcpy(to + i * row_size, c->values + i * width, width);
}

static void set_column(struct store *s, const struct store_field *field,
		       char *rows, size_t row_size, const struct read_column *c)
{
	char *to;

	if (!c->count)
		return; /* no row either */
	to = rows + field->offset;
	if (is_text(field->type))
		for (size_t i = 0; i < c->count; i++)
			set_field_text(s, field, rows + i * row_size,
				       c->values + i * c->width, c->width);
	else if (c->width == 8)
		set_numbers(to, row_size, c, 8);
	else if (c->width == 4)
		set_numbers(to, row_size, c, 4);
	else
		set_numbers(to, row_size, c, c->width);
}

/* The rows made so far, their texts and all. */
static void free_rows(const struct store_field *fields, char *rows,
		      size_t row_size, size_t count)
{
	for (; rows && fields->name; fields++)
		for (size_t i = 0; i < count; i++)
			if (fields->type == STORE_TEXT)
				free(*(char **)(rows + i * row_size +
						fields->offset));
	free(rows);
}

/* The next one that the file has, or has to have. */
static const struct store_field *next_column(struct store *s, const char *group,
					     const struct store_field *field)
{
	char name[NAME_MAX_BYTES];

	do
		field++;
	while (field->name && field->added &&
	       !(join_names(s, name, group, field->name) ||
		 store_has(s, name)));
	return field;
}

/* From the column `field` on, which may have been read into *c. */
static void get_columns(struct store *s, const char *group,
			const struct store_field *field, struct read_column *c,
			char *rows, size_t row_size)
{
	const size_t count = c->count;

	while (!s->err) {
		set_column(s, field, rows, row_size, c);
		free(c->values);
		*c = (struct read_column){ 0 };
		field = next_column(s, group, field);
		if (!field->name)
			break;
		*c = get_column(s, group, field);
		if (!s->err && c->count != count)
			store_fail(s, -EINVAL,
				   "the columns of '%s' differ in length",
				   group);
	}
	free(c->values);
}

void *store_get_table(struct store *s, const char *group,
		      const struct store_field *fields, size_t row_size,
		      size_t *count)
{
	struct read_column c = get_column(s, group, fields);
	size_t rows_read = c.count;
	char *rows = NULL;

	*count = 0;
	if (!s->err && rows_read &&
	    may_take_column(s, group, rows_read, row_size)) {
		rows = calloc(rows_read, row_size);
		if (!rows)
			store_fail(s, -ENOMEM, "out of memory");
	}
	get_columns(s, group, fields, &c, rows, row_size);
	if (s->err) {
		free_rows(fields, rows, row_size, rows_read);
		return NULL;
	}
	*count = rows_read;
	return rows;
}

void store_get_members(struct store *s, const char *group,
		       const struct store_field *fields, void *rows,
		       size_t row_size, size_t count)
{
	struct read_column c = get_column(s, group, fields);

	if (!s->err && c.count != count)
		store_fail(s, -EINVAL, "damaged: %zu rows of '%s', not %zu",
			   c.count, group, count);
	get_columns(s, group, fields, &c, rows, row_size);
}

bool store_has_table(struct store *s, const char *group,
		     const struct store_field *fields)
{
	char name[NAME_MAX_BYTES];

	return !s->err && !join_names(s, name, group, fields->name) &&
	       store_has(s, name);
}

/* Attributes */

static const struct shortcut_entry is_group = { .how = SHORTCUT_NO_VALUE,
						.width = 1 };

static hid_t put_stored_text(struct store *s, const char *group_name,
			     hid_t group, const struct store_field *field,
			     const void *record)
{
	const char *text = row_text(field, record);
	size_t n = strlen(text);
	size_t kept = n > STORE_TEXT_MAX ? STORE_TEXT_MAX : n;
	hid_t space = H5Screate(H5S_SCALAR);
	hid_t type = text_type(kept ? kept : 1);
	hid_t attribute = H5Acreate2(group, field->name, type, space,
				     H5P_DEFAULT, H5P_DEFAULT);
	char *copy = strndup(text, kept);

	if (copy && kept < n)
		memcpy(copy + kept - 3, "...", 3);
	if (attribute >= 0 && (!copy || H5Awrite(attribute, type, copy) < 0)) {
		close_id(attribute);
		attribute = H5I_INVALID_HID;
	}
	if (attribute >= 0) {
		struct shortcut_entry entry = { .type = STORE_TEXT,
						.width = (uint32_t)(kept ? kept
									 : 1),
						.count = 1 };

		list_entry(s, group_name, '@', field->name, &entry, copy);
	}
	free(copy);
	close_id(type);
	close_id(space);
	return attribute;
}

static hid_t put_stored_number(struct store *s, const char *group_name,
			       hid_t group, const struct store_field *field,
			       const void *record)
{
	struct shortcut_entry entry = { .type = (uint16_t)field->type,
					.width = (uint32_t)widths[field->type],
					.count = 1 };
	const char *value = (const char *)record + field->offset;
	hid_t type = number_type(field->type);
	hid_t space = H5Screate(H5S_SCALAR);
	hid_t attribute = H5Acreate2(group, field->name, type, space,
				     H5P_DEFAULT, H5P_DEFAULT);

	list_entry(s, group_name, '@', field->name, &entry, value);
	close_id(space);
	if (attribute >= 0 && H5Awrite(attribute, type, value) < 0) {
		close_id(attribute);
		attribute = H5I_INVALID_HID;
	}
	return attribute;
}

static bool is_listed(struct store *s, const char *group)
{
	char name[2 * NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "%s@", group);
	return shortcut_find(s->shortcut, name) != NULL;
}

/* Once, also when it gets attributes more than once. */
static void list_group(struct store *s, const char *group)
{
	if (s->shortcut && !is_listed(s, group))
		list_entry(s, group, '@', "", &is_group, NULL);
}

void store_put_record(struct store *s, const char *group,
		      const struct store_field *fields, const void *record)
{
	hid_t at;

	if (s->err)
		return;
	list_group(s, group);
	at = group_open(s, group);
	if (at < 0)
		hdf5_fail(s, "cannot be written: ", group);
	for (; fields->name && !s->err; fields++) {
		hid_t attribute =
			is_text(fields->type)
				? put_stored_text(s, group, at, fields, record)
				: put_stored_number(s, group, at, fields,
						    record);

		if (attribute < 0)
			hdf5_fail(s, "cannot write the attribute ",
				  fields->name);
		close_id(attribute);
	}
	close_id(at);
}

static void get_text(struct store *s, hid_t attribute, hid_t in_file,
		     const struct store_field *field, void *record)
{
	hid_t type = text_in_memory(in_file);
	size_t width = type < 0 ? 0 : H5Tget_size(type);
	char *text = width && width <= s->bytes ? malloc(width) : NULL;

	if (text && H5Aread(attribute, type, text) >= 0)
		set_field_text(s, field, record, text, width);
	else
		store_fail(s, -EINVAL, "the attribute '%s' is damaged",
			   field->name);
	free(text);
	close_id(type);
}

static void get_attribute(struct store *s, hid_t group,
			  const struct store_field *field, void *record)
{
	hid_t attribute = H5Aopen(group, field->name, H5P_DEFAULT);
	hid_t type = H5I_INVALID_HID, space = H5I_INVALID_HID;
	char *to = (char *)record + field->offset;

	if (attribute < 0) {
		if (field->added)
			return;
		store_fail(s, -EINVAL, "the attribute '%s' is missing",
			   field->name);
		return;
	}
	type = H5Aget_type(attribute);
	space = H5Aget_space(attribute);
	if (H5Sget_simple_extent_npoints(space) != 1)
		store_fail(s, -EINVAL, "the attribute '%s' is not one value",
			   field->name);
	else if (is_text(field->type))
		get_text(s, attribute, type, field, record);
	else if (H5Aread(attribute, number_type(field->type), to) < 0)
		store_fail(s, -EINVAL, "the attribute '%s' has a wrong type",
			   field->name);
	close_id(space);
	close_id(type);
	close_id(attribute);
}

/* The same by the list. */
static void get_listed(struct store *s, const char *group,
		       const struct store_field *field, void *record)
{
	char name[2 * NAME_MAX_BYTES];
	size_t width = 0, count = 0;
	char *value;

	snprintf(name, sizeof(name), "%s@%s", group, field->name);
	if (field->added && !shortcut_find(s->shortcut, name))
		return;
	value = listed_values(s, "attribute", name, field->type, &width,
			      &count);
	if (!s->err && count != 1)
		store_fail(s, -EINVAL, "the attribute '%s' is not one value",
			   field->name);
	else if (!s->err && is_text(field->type))
		set_field_text(s, field, record, value, width);
	else if (!s->err)
		memcpy((char *)record + field->offset, value, width);
	free(value);
}

static void get_listed_record(struct store *s, const char *group,
			      const struct store_field *fields, void *record)
{
	if (!is_listed(s, group))
		store_fail(s, -EINVAL, "the group '%s' is missing", group);
	for (; fields->name && !s->err; fields++)
		get_listed(s, group, fields, record);
}

/* HDF5 asks for every group on the way. */
static bool is_linked(struct store *s, const char *name)
{
	char part[2 * NAME_MAX_BYTES];

	for (size_t i = 0; i < sizeof(part); i++) {
		part[i] = 0;
		if ((name[i] == '/' || !name[i]) &&
		    H5Lexists(s->file, part, H5P_DEFAULT) <= 0)
			return false;
		if (!name[i])
			return true;
		part[i] = name[i];
	}
	return false;
}

bool store_has(struct store *s, const char *name)
{
	if (s->err)
		return false;
	if (s->shortcut)
		return shortcut_find(s->shortcut, name) || is_listed(s, name);
	return is_linked(s, name);
}

void store_get_record(struct store *s, const char *group,
		      const struct store_field *fields, void *record)
{
	hid_t at;

	if (s->err)
		return;
	if (s->shortcut) {
		get_listed_record(s, group, fields, record);
		return;
	}
	at = group_open(s, group);
	if (at < 0) {
		cannot_open(s, "group", group);
		return;
	}
	for (; fields->name && !s->err; fields++)
		get_attribute(s, at, fields, record);
	close_id(at);
}

/* Names */

static int by_stored_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* A name in the group, itself a group that has a record: "group/NAME@". */
static size_t listed_name(const char *name, const char *group)
{
	size_t n = strlen(group), all = strlen(name);

	if (all < n + 3 || strncmp(name, group, n) != 0 || name[n] != '/' ||
	    name[all - 1] != '@' || strchr(name + n + 1, '/') ||
	    all - n - 1 > NAME_MAX_BYTES)
		return 0;
	return all - n - 2;
}

/* By the list: the groups in a group; a rank file has no others. */
static char **listed_names(struct store *s, const char *group, size_t *count)
{
	size_t found = 0;
	const char *name;
	char **names, *text;

	if (!is_listed(s, group))
		store_fail(s, -EINVAL, "the group '%s' is missing", group);
	for (size_t i = 0; shortcut_at(s->shortcut, i, &name); i++)
		found += listed_name(name, group) > 0;
	names = s->err ? NULL
		       : calloc(found + 1, sizeof(*names) + NAME_MAX_BYTES);
	if (!names) {
		store_fail(s, -ENOMEM, "out of memory");
		return NULL;
	}
	text = (char *)(names + found + 1);
	for (size_t i = 0; shortcut_at(s->shortcut, i, &name); i++) {
		size_t length = listed_name(name, group);

		if (!length)
			continue;
		names[*count] = text;
		memcpy(text, name + strlen(group) + 1, length);
		text += NAME_MAX_BYTES;
		++*count;
	}
	qsort(names, found, sizeof(*names), by_stored_text);
	return names;
}

char **store_list(struct store *s, const char *group, size_t *count)
{
	H5G_info_t info = { 0 };
	char **names = NULL;
	char *text;

	*count = 0;
	if (s->err)
		return NULL;
	if (s->shortcut)
		return listed_names(s, group, count);
	if (H5Gget_info_by_name(s->file, group, &info, H5P_DEFAULT) < 0 ||
	    info.nlinks > LIST_MAX) {
		cannot_open(s, "group", group);
		return NULL;
	}
	names = calloc(info.nlinks + 1, sizeof(*names) + NAME_MAX_BYTES);
	if (!names) {
		store_fail(s, -ENOMEM, "out of memory");
		return NULL;
	}
	text = (char *)(names + info.nlinks + 1);
	for (size_t i = 0; i < info.nlinks; i++) {
		names[i] = text + i * NAME_MAX_BYTES;
		if (H5Lget_name_by_idx(s->file, group, H5_INDEX_NAME,
				       H5_ITER_INC, i, names[i], NAME_MAX_BYTES,
				       H5P_DEFAULT) < 0)
			hdf5_fail(s, "cannot list ", group);
	}
	*count = info.nlinks;
	return names;
}
