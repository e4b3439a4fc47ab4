/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - HDF5 files that are made, opened and closed. */
#include <errno.h>
#include <fcntl.h>
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
#include "profile/store/store-inside.h"

enum {
	ATTRIBUTES = 128, /* kept in the group's header, as are … */
	LINKS = 64,       /* … these: no heap, no tree */
	LARGE_BLOCK = 1 << 20,
	LARGE_FILE = 64 << 20,
	TAKEN_FREE = 64 << 20, /* what each file may become, and … */
	TAKEN_RATIO = 100,     /* … more for each of its bytes */
};

pthread_mutex_t store_hdf5_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

const size_t store_widths[] = {
	[STORE_U8] = 1,  [STORE_U16] = 2, [STORE_U32] = 4,
	[STORE_I32] = 4, [STORE_U64] = 8, [STORE_F64] = 8,
};

hid_t store_number_type(enum store_type type)
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

bool store_is_text(enum store_type type)
{
	return type == STORE_TEXT || type == STORE_CHARS;
}

void store_close_id(hid_t id)
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
bool store_may_take(struct store *s, const char *name, size_t count,
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

int store_hdf5_fail(struct store *s, const char *what, const char *name)
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
	pthread_mutex_lock(&store_hdf5_lock);
	s->locked = true;
	/* What a full disk kept from being closed, it would close at exit once
	   more, and crash. */
	H5dont_atexit();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	/* A file's contents stand in itself: it names no others. */
	H5Lunregister(H5L_TYPE_EXTERNAL);
	/* Nor a filter, for which HDF5 would load libraries. */
	H5PLset_loading_state(0);
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
		pthread_mutex_unlock(&store_hdf5_lock);
	toc_free(s->toc);
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
		pthread_mutex_unlock(&store_hdf5_lock);
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
#if H5_VERSION_GE(1, 10, 7)
	H5Pset_file_locking(access, false, true);
#else
	setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
#endif
	H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
	return access;
}

hid_t store_group_properties(hid_t class)
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
static const char *name_by_descriptor(const struct store *s,
				      char to[REGULAR_NAME])
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
	how = store_group_properties(H5P_FILE_CREATE);
	s->file = H5Fcreate(name_by_descriptor(s, name), H5F_ACC_TRUNC, how,
			    access);
	if (s->file < 0)
		store_hdf5_fail(s, "cannot be written", "");
	store_close_id(how);
	store_close_id(access);
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
	s->toc = large ? NULL : toc_new();
	err = s->temporary && (large || s->toc)
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
		store_hdf5_fail(s, "cannot be written", "");
	s->file = H5I_INVALID_HID;
	if (!s->err && s->toc) {
		err = toc_append(s->toc, s->fd);
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
static bool has_bytes_behind_end(const struct superblock *begin, uint64_t bytes)
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
	s->ends_late = has_bytes_behind_end(&begin, s->bytes);
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
	int err = toc_open(&s->toc, s->fd, s->piece);
	char name[REGULAR_NAME];
	hid_t access;

	if (err)
		return store_fail(s, err, "%s",
				  err == -EINVAL ? "truncated or damaged"
						 : strerror(-err));
	if (s->toc) { /* all of it was read */
		close(s->fd);
		s->fd = -1;
		return 0;
	}
	if (s->ends_late)
		return store_fail(s, -EINVAL, "truncated or damaged");
	hdf5_begin(s);
	access = file_access(false, s->bytes > LARGE_FILE && !s->piece.size);
	s->file = s->piece.size ? open_image(s, access)
				: H5Fopen(name_by_descriptor(s, name),
					  H5F_ACC_RDONLY, access);
	if (s->file < 0)
		store_hdf5_fail(s, "truncated or damaged", "");
	store_close_id(access);
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
