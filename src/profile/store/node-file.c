/* SPDX-License-Identifier: BSD-3-Clause */
/* node-file.c - the rank files of one host in one file. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/regular.h"
#include "base/str.h"
#include "profile/store/node-file.h"
#include "profile/store/store.h"

#define FORMAT  "copse node profiles"
#define VERSION 1

enum {
	ALIGNED = 64,
	MOST_MEMBERS = 1 << 20
};

/* All numbers are little-endian. */
static const char head_magic[8] = "copseNOD", record_magic[8] = "copseRNK";
struct head {
	char magic[8];
	uint32_t version, unused;
	char owner[NODE_NAME];
};
struct node_record { /* the bytes stand behind it */
	char magic[8];
	uint64_t size;
	char name[NODE_NAME];
};
_Static_assert(sizeof(struct head) == ALIGNED &&
		       sizeof(struct node_record) == ALIGNED,
	       "as in the file");

static uint64_t next_record(const struct file_extent *piece)
{
	return (piece->at + piece->size + ALIGNED - 1) &
	       ~(uint64_t)(ALIGNED - 1);
}

static int read_node_at(int fd, void *to, size_t size, uint64_t at)
{
	char *bytes = to;

	while (size) {
		ssize_t n = pread(fd, bytes, size, (off_t)at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -EINVAL;
		bytes += n > 0 ? n : 0;
		at += n > 0 ? (uint64_t)n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int write_at(int fd, const void *from, size_t size, uint64_t at)
{
	const char *bytes = from;

	while (size) {
		ssize_t n = pwrite(fd, bytes, size, (off_t)at);

		if (n < 0 && errno != EINTR)
			return -errno;
		bytes += n > 0 ? n : 0;
		at += n > 0 ? (uint64_t)n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/*
 * Reading.
 */

static int read_head(int fd, struct head *head)
{
	int err = read_node_at(fd, head, sizeof(*head), NODE_BEGIN);

	if (err)
		return err;
	head->owner[NODE_NAME - 1] = 0;
	return !memcmp(head->magic, head_magic, sizeof(head_magic)) &&
			       head->version == VERSION
		       ? 0
		       : -EINVAL;
}

/* A name as copse gives it: it becomes part of messages. */
static bool name_is_good(const char *name)
{
	size_t length = strnlen(name, NODE_NAME);

	return length < NODE_NAME && !strncmp(name, "rank-", 5) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == length;
}

/* The record at `at`; false: there is none. */
static bool read_node_record(int fd, uint64_t at, uint64_t end,
			     struct node_member *to)
{
	struct node_record r;

	if (at + sizeof(r) > end || read_node_at(fd, &r, sizeof(r), at) ||
	    memcmp(r.magic, record_magic, sizeof(record_magic)) != 0 ||
	    !r.size || r.size > end - at - sizeof(r) || !name_is_good(r.name))
		return false;
	memcpy(to->name, r.name, sizeof(to->name));
	to->piece = (struct file_extent){ at + sizeof(r), r.size };
	return true;
}

struct listing {
	struct node_member *at;
	size_t count, room;
	uint64_t end; /* behind the last record */
};

static int list_members(int fd, uint64_t size, struct listing *l)
{
	l->end = NODE_BEGIN + sizeof(struct head);
	while (l->count < MOST_MEMBERS) {
		if (!ARRAY_GROW(l->at, l->count, l->room))
			return -ENOMEM;
		if (!read_node_record(fd, l->end, size, &l->at[l->count]))
			break;
		l->end = next_record(&l->at[l->count++].piece);
	}
	return 0;
}

/* The file of that owner, or of anybody (NULL), and its list; or -errno. */
static int open_list(int dir, const char *path, const char *owner, int flags,
		     struct listing *l, uint64_t *size)
{
	int fd = regular_open(dir, path, flags);
	struct head head;
	struct stat st;
	int err = fd < 0 ? fd : fstat(fd, &st) ? -errno : 0;

	if (!err)
		err = read_head(fd, &head);
	if (!err && owner && strcmp(head.owner, owner) != 0)
		err = -EEXIST;
	if (!err)
		err = list_members(fd, (uint64_t)st.st_size, l);
	if (err && fd >= 0)
		close(fd);
	if (!err)
		*size = (uint64_t)st.st_size;
	return err ? err : fd;
}

int node_file_list(const char *path, struct node_member **to, size_t *count)
{
	struct listing l = { 0 };
	uint64_t size;
	int fd = open_list(AT_FDCWD, path, NULL, O_RDONLY, &l, &size);

	if (fd < 0) {
		free(l.at);
		return fd;
	}
	close(fd);
	if (l.end < size) /* there is room for one more */
		l.at[l.count++] =
			(struct node_member){ .piece = { l.end,
							 size - l.end } };
	*to = l.at;
	*count = l.count;
	return 0;
}

/*
 * Writing.
 */

/* The beginning, which HDF5 makes, and the head. */
static int write_begin(int fd, const char *owner, const char *scratch)
{
	struct head head = { .version = VERSION };
	char begin[NODE_BEGIN] = "";
	struct store *s = NULL;
	int from, err = store_create(&s, scratch, FORMAT, VERSION);
	ssize_t n;

	if (!err)
		err = store_commit(s);
	if (err)
		return err;
	from = open(scratch, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	n = from < 0 ? -1 : read(from, begin, sizeof(begin));
	err = n < 0 ? -errno : n == sizeof(begin) ? -EFBIG : 0;
	if (from >= 0)
		close(from);
	unlink(scratch);
	memcpy(head.magic, head_magic, sizeof(head.magic));
	snprintf(head.owner, sizeof(head.owner), "%s", owner);
	if (!err)
		err = write_at(fd, begin, sizeof(begin), 0);
	if (!err)
		err = write_at(fd, &head, sizeof(head), sizeof(begin));
	return err;
}

int node_file_create(int dir, const char *path, const char *owner,
		     const char *scratch)
{
	char *fresh = str_format("%s.new%ld", regular_part(dir, path),
				 (long)getpid());
	int fd = -1, err = -ENOMEM;

	if (!fresh)
		return err;
	fd = regular_create(dir, fresh);
	err = fd < 0 ? fd : write_begin(fd, owner, scratch);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	/* Another host may have the same name: link() does not replace. */
	if (!err && linkat(dir, fresh, dir, regular_part(dir, path), 0))
		err = -errno;
	unlinkat(dir, fresh, 0);
	free(fresh);
	return err;
}

static bool is_taken(const struct listing *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++)
		if (!strcmp(l->at[i].name, name))
			return true;
	return false;
}

/* The header last: before, there is nothing. */
static int write_record(int fd, uint64_t at, const char *name,
			const void *bytes, size_t size)
{
	struct node_record r = { .size = size };
	int err = ftruncate(fd, (off_t)at) ? -errno : 0;

	memcpy(r.magic, record_magic, sizeof(r.magic));
	snprintf(r.name, sizeof(r.name), "%s", name);
	if (!err)
		err = write_at(fd, bytes, size, at + sizeof(r));
	if (!err)
		err = write_at(fd, &r, sizeof(r), at);
	if (err && ftruncate(fd, (off_t)at))
		return err; /* an end that is cut off, then */
	return err;
}

int node_file_add(int dir, const char *path, const char *owner,
		  const char *const names[], const void *bytes, size_t size)
{
	struct listing l = { 0 };
	uint64_t all;
	int fd = open_list(dir, path, owner, O_RDWR | O_NOFOLLOW, &l, &all);
	int err = fd < 0 ? fd : 0;

	while (!err && *names && is_taken(&l, *names))
		names++;
	if (!err)
		err = *names ? write_record(fd, l.end, *names, bytes, size)
			     : -EEXIST;
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	free(l.at);
	return err;
}
