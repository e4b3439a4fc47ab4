/* SPDX-License-Identifier: BSD-3-Clause */
/* toc.c - the list behind the end of an HDF5 file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "profile/store/deflate.h"
#include "profile/store/toc.h"

enum {
	LEVEL = 4,
	MOST_ENTRIES = 1 << 20,
	MOST_BYTES = 1 << 30, /* of a file that is read at once */
};

/* The last bytes of the file; all numbers are little-endian. */
static const char magic[8] = "copseTOC";
struct footer {
	uint64_t begin;           /* of the list: the end of HDF5's file */
	uint32_t packed;          /* bytes of the list, a zlib stream … */
	uint32_t unpacked;        /* … of the entries and then their texts and
				     values */
	uint32_t entries, unused; /* 0 */
	char magic[8];
};

struct toc {
	struct toc_entry *entries;
	uint32_t *sums; /* of their names, by which they are looked for */
	char *texts;    /* behind the entries in memory that was read */
	char *file;     /* the part that is HDF5's */
	size_t count, room, text_size, text_room, file_size;
	size_t next; /* where to look first: things are asked for in order */
};

struct toc *toc_new(void)
{
	return calloc(1, sizeof(struct toc));
}

void toc_free(struct toc *s)
{
	if (!s)
		return;
	if (!s->file)
		free(s->texts);
	free(s->entries);
	free(s->sums);
	free(s->file);
	free(s);
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t checksum_of_name(const char *name)
{
	uint32_t sum = 2166136261u;

	for (; *name; name++)
		sum = (sum ^ (uint8_t)*name) * 16777619u;
	return sum;
}

/*
 * Making one.
 */

static int add_bytes(struct toc *s, const void *bytes, size_t size)
{
	if (s->text_room - s->text_size < size) {
		size_t room = 2 * s->text_room + size + 256;

		if (!ARRAY_RESIZE(s->texts, room))
			return -ENOMEM;
		s->text_room = room;
	}
	if (size)
		memcpy(s->texts + s->text_size, bytes, size);
	s->text_size += size;
	return 0;
}

static int grow_toc(struct toc *s)
{
	size_t room = 2 * s->room + 64;

	if (!ARRAY_RESIZE(s->entries, room) || !ARRAY_RESIZE(s->sums, room))
		return -ENOMEM;
	s->room = room;
	return 0;
}

int toc_add(struct toc *s, const char *name, const struct toc_entry *entry,
	    const void *values)
{
	struct toc_entry *to;

	if (s->count == s->room && grow_toc(s))
		return -ENOMEM;
	to = &s->entries[s->count];
	s->sums[s->count] = checksum_of_name(name);
	*to = *entry;
	to->name = (uint32_t)s->text_size;
	if (add_bytes(s, name, strlen(name) + 1))
		return -ENOMEM;
	if (entry->how == TOC_HERE) {
		to->at = s->text_size;
		to->packed = (uint32_t)(entry->count * entry->width);
		if (add_bytes(s, values, to->packed))
			return -ENOMEM;
	}
	s->count++;
	return 0;
}

static int write_all(int fd, const char *at, size_t size)
{
	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* The list and the footer, in one piece by malloc; NULL: out of memory. */
static char *pack_list(const struct toc *s, uint64_t begin, size_t *size)
{
	size_t table = s->count * sizeof(*s->entries);
	size_t all = table + s->text_size;
	char *plain = malloc(all + 1);
	char *packed = malloc(deflate_most(all) + sizeof(struct footer));
	struct footer footer = { .begin = begin,
				 .unpacked = (uint32_t)all,
				 .entries = (uint32_t)s->count };

	if (plain && packed) {
		memcpy(plain, s->entries, table);
		memcpy(plain + table, s->texts, s->text_size);
		footer.packed = (uint32_t)deflate_chunk(packed, plain, all, 1,
							LEVEL, NULL);
	}
	free(plain);
	if (!footer.packed) {
		free(packed);
		return NULL;
	}
	memcpy(footer.magic, magic, sizeof(magic));
	memcpy(packed + footer.packed, &footer, sizeof(footer));
	*size = footer.packed + sizeof(footer);
	return packed;
}

int toc_append(const struct toc *s, int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);
	int err = end < 0 ? -errno : 0;
	size_t size = 0;
	char *list = NULL;

	if (!err && s->count) {
		list = pack_list(s, (uint64_t)end, &size);
		err = list ? write_all(fd, list, size) : -ENOMEM;
	}
	free(list);
	return err;
}

/*
 * Reading one.
 */

static int read_toc(int fd, char *to, size_t size, off_t at)
{
	while (size) {
		ssize_t n = pread(fd, to, size, at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -EINVAL; /* it was made shorter meanwhile */
		to += n > 0 ? n : 0;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* The name ends in the list, and the values are where they are said to be. */
static bool entry_is_good(const struct toc *s, const struct toc_entry *e)
{
	size_t within = e->how == TOC_HERE ? s->text_size : s->file_size;

	return e->name < s->text_size && e->how < TOC_HOWS && e->width &&
	       memchr(s->texts + e->name, 0, s->text_size - e->name) &&
	       e->at <= within && e->packed <= within - e->at &&
	       (e->how != TOC_HERE || (e->packed % e->width == 0 &&
				       e->packed / e->width == e->count));
}

/* Take the list out of the file that was read; 0, -ENOMEM or -EINVAL. */
static int unpack_list(struct toc *s, const struct footer *footer)
{
	size_t table = (size_t)footer->entries * sizeof(*s->entries);
	int err;

	if (footer->entries > MOST_ENTRIES || table > footer->unpacked ||
	    footer->unpacked / DEFLATE_RATIO > footer->packed)
		return -EINVAL;
	s->entries = malloc(footer->unpacked + 1);
	if (!s->entries)
		return -ENOMEM;
	err = deflate_undo(s->entries, footer->unpacked, 1,
			   s->file + footer->begin, footer->packed, NULL);
	if (err)
		return err;
	s->sums = malloc(footer->entries * sizeof(*s->sums) + 1);
	if (!s->sums)
		return -ENOMEM;
	s->count = footer->entries;
	s->texts = (char *)s->entries + table;
	s->text_size = footer->unpacked - table;
	s->file_size = footer->begin;
	for (size_t i = 0; i < s->count; i++) {
		if (!entry_is_good(s, &s->entries[i]))
			return -EINVAL;
		s->sums[i] = checksum_of_name(s->texts + s->entries[i].name);
	}
	return 0;
}

static bool has_list(int fd, struct file_extent piece, struct footer *footer)
{
	uint64_t at = piece.size - sizeof(*footer);

	return piece.size > sizeof(*footer) && piece.size <= MOST_BYTES &&
	       !read_toc(fd, (char *)footer, sizeof(*footer),
			 (off_t)(piece.at + at)) &&
	       !memcmp(footer->magic, magic, sizeof(magic)) &&
	       footer->begin <= at && footer->packed == at - footer->begin;
}

static int read_list(struct toc **to, int fd, struct file_extent piece,
		     const struct footer *footer)
{
	struct toc *s = toc_new();
	int err = s ? 0 : -ENOMEM;

	if (s)
		s->file = malloc(piece.size + DEFLATE_BEHIND);
	if (!err)
		err = s->file ? read_toc(fd, s->file, piece.size,
					 (off_t)piece.at)
			      : -ENOMEM;
	if (!err)
		memset(s->file + piece.size, 0, DEFLATE_BEHIND);
	if (!err)
		err = unpack_list(s, footer);
	if (err)
		toc_free(s);
	else
		*to = s;
	return err;
}

int toc_open(struct toc **to, int fd, struct file_extent piece)
{
	struct footer footer;
	struct stat st;

	*to = NULL;
	if (!piece.size && !fstat(fd, &st))
		piece.size = (uint64_t)st.st_size;
	return has_list(fd, piece, &footer) ? read_list(to, fd, piece, &footer)
					    : 0;
}

const struct toc_entry *toc_find(struct toc *s, const char *name)
{
	uint32_t sum = checksum_of_name(name);
	size_t at = s->next;

	for (size_t i = 0; i < s->count; i++, at++) {
		at = at < s->count ? at : 0;
		if (s->sums[at] != sum ||
		    strcmp(s->texts + s->entries[at].name, name) != 0)
			continue;
		s->next = at + 1;
		return &s->entries[at];
	}
	return NULL;
}

const struct toc_entry *toc_at(const struct toc *s, size_t i, const char **name)
{
	if (i >= s->count)
		return NULL;
	*name = s->texts + s->entries[i].name;
	return &s->entries[i];
}

static int unpack_column(const struct toc *s, const struct toc_entry *e,
			 char *to)
{
	bool shuffled = e->how == TOC_SHUFFLE && e->width > 1;
	size_t bytes = e->count * e->width;
	char *work = shuffled ? malloc(bytes + 1) : NULL;
	int err = -ENOMEM;

	if (work || !shuffled)
		err = deflate_undo(to, e->count, e->width, s->file + e->at,
				   e->packed, work);
	free(work);
	return err;
}

void *toc_values(const struct toc *s, const struct toc_entry *e, int *err)
{
	size_t bytes;
	char *to;

	*err = -EINVAL;
	/* No more than deflate can make of that many bytes. */
	if (e->how == TOC_NO_VALUE ||
	    __builtin_mul_overflow(e->count, e->width, &bytes) ||
	    bytes / DEFLATE_RATIO > e->packed)
		return NULL;
	*err = -ENOMEM;
	to = malloc(bytes + 1);
	if (!to)
		return NULL;
	to[bytes] = 0;
	*err = 0;
	if (e->how == TOC_HERE)
		memcpy(to, s->texts + e->at, e->packed);
	else
		*err = unpack_column(s, e, to);
	if (!*err)
		return to;
	free(to);
	return NULL;
}
