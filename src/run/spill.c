/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spill.c - a place is a number: below the limit it is in memory, and what is
 * above is in one of the files.  There are several, because one is written by
 * one thread at a time, whatever the place.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "run/spill.h"

enum {
	FILES = 8,
	OFFSET_BITS = 48 /* of a place in a file; its number is above them */
};

struct spill_file {
	int fd; /* -1: not needed yet */
	uint64_t end;
};

struct spill {
	pthread_mutex_t lock; /* of the ends, and of making what they are of */
	char *directory;
	char *memory; /* NULL: not needed yet */
	size_t most, used;
	struct spill_file files[FILES];
	size_t next; /* of the files */
};

struct spill *spill_new(const char *directory, size_t memory)
{
	struct spill *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	for (size_t i = 0; i < FILES; i++)
		s->files[i].fd = -1;
	s->most = memory;
	s->directory = strdup(directory);
	if (s->directory)
		return s;
	spill_free(s);
	return NULL;
}

void spill_free(struct spill *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < FILES; i++)
		if (s->files[i].fd >= 0)
			close(s->files[i].fd);
	pthread_mutex_destroy(&s->lock);
	free(s->memory);
	free(s->directory);
	free(s);
}

const char *spill_directory(const struct spill *s)
{
	return s->directory;
}

static int open_nameless(const char *directory)
{
	char *path;
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	path = str_format("%s/.copse-merge-XXXXXX", directory);
	fd = path ? mkostemp(path, O_CLOEXEC) : -1;
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

static int open_spill_file(const struct spill *s, struct spill_file *file)
{
	const char *other = getenv("TMPDIR");

	file->fd = open_nameless(s->directory);
	if (file->fd < 0)
		file->fd = open_nameless(other && *other ? other : "/var/tmp");
	return file->fd < 0 ? fail(-errno,
				   "%s: no file can be made for values that do "
				   "not fit into memory: %s",
				   s->directory, strerror(errno))
			    : 0;
}

/* Pages that nothing was put into take no memory. */
static int reserve_memory(struct spill *s, size_t size, uint64_t *at)
{
	if (!s->memory)
		s->memory = malloc(s->most);
	if (!s->memory)
		return no_memory();
	*at = s->used;
	s->used += size;
	return 0;
}

static int reserve_file(struct spill *s, size_t size, uint64_t *at)
{
	size_t which = s->next++ % FILES;
	struct spill_file *file = &s->files[which];
	int err = file->fd < 0 ? open_spill_file(s, file) : 0;

	*at = s->most + ((uint64_t)which << OFFSET_BITS) + file->end;
	file->end += size;
	return err;
}

static int reserve_spill(struct spill *s, size_t size, uint64_t *at)
{
	int err;

	pthread_mutex_lock(&s->lock);
	err = size <= s->most - s->used ? reserve_memory(s, size, at)
					: reserve_file(s, size, at);
	pthread_mutex_unlock(&s->lock);
	return err;
}

/* Of a place above the limit. */
static int place_in_file(const struct spill *s, uint64_t at, off_t *offset)
{
	at -= s->most;
	*offset = (off_t)(at & (((uint64_t)1 << OFFSET_BITS) - 1));
	return s->files[at >> OFFSET_BITS].fd;
}

static int write_spill_file(const struct spill *s, const char *bytes,
			    size_t size, uint64_t at)
{
	off_t to;
	int fd = place_in_file(s, at, &to);

	while (size) {
		ssize_t n = pwrite(fd, bytes, size, to);

		if (n < 0 && errno != EINTR)
			return fail(-errno,
				    "%s: values that do not fit into memory "
				    "cannot be written: %s",
				    s->directory, strerror(errno));
		bytes += n > 0 ? n : 0;
		to += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int read_spill_file(const struct spill *s, char *to, size_t size,
			   uint64_t at)
{
	off_t from;
	int fd = place_in_file(s, at, &from);

	while (size) {
		ssize_t n = pread(fd, to, size, from);

		if (!n || (n < 0 && errno != EINTR))
			return fail(n ? -errno : -EIO,
				    "%s: values that did not fit into memory "
				    "cannot be read: %s",
				    s->directory, strerror(n ? errno : EIO));
		to += n > 0 ? n : 0;
		from += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int spill_put(struct spill *s, const void *bytes, size_t size, uint64_t *at)
{
	int err = 0;

	*at = 0;
	if (!size)
		return 0;
	err = reserve_spill(s, size, at);
	if (err)
		return err;
	if (*at >= s->most)
		return write_spill_file(s, bytes, size, *at);
	memcpy(s->memory + *at, bytes, size);
	return 0;
}

int spill_get(const struct spill *s, uint64_t at, size_t size, void *to)
{
	if (!size)
		return 0;
	if (at >= s->most)
		return read_spill_file(s, to, size, at);
	memcpy(to, s->memory + at, size);
	return 0;
}
