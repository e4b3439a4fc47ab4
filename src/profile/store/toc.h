/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * toc.h - a list of all that is in an HDF5 file, behind its end: where
 * each column stands, and the small ones and the attributes themselves.  With
 * it a rank file is read by one system call, without HDF5, by many threads at a
 * time.
 *
 * HDF5 does not look behind its own end, and cuts the file off there when it
 * writes to it: what was changed has no list, and is read by HDF5 again.
 * copse-format(5) has the layout.
 *
 * Ownership  A shortcut owns its memory; what toc_values() returns is the
 *            caller's, by malloc.
 * Threads    One user at a time for each.
 * Foreign    All that is read is checked against the file's length.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/store/extent.h"

enum toc_how {
	TOC_HERE,     /* in the list itself */
	TOC_DEFLATE,  /* in the file, a zlib stream */
	TOC_SHUFFLE,  /* the same, behind HDF5's shuffle */
	TOC_NO_VALUE, /* a group */
	TOC_HOWS
};

struct toc_entry {     /* as in the file, but for name */
	uint32_t name; /* where its text begins in the list */
	uint16_t type; /* enum store_type */
	uint16_t how;
	uint32_t width;  /* bytes of one value */
	uint32_t packed; /* bytes in the file */
	uint64_t count;
	uint64_t at;
};

struct toc;

/* An empty list; NULL when out of memory. */
struct toc *toc_new(void);
void toc_free(struct toc *s); /* NULL is fine */

/*
 * Add what `entry` says (name apart; with TOC_HERE, at and packed, too)
 * with its values.  "group/column", "group@attribute".  0 or -ENOMEM.
 */
int toc_add(struct toc *s, const char *name, const struct toc_entry *entry,
	    const void *values);

/* Write the list behind the end of the file.  0 or -errno. */
int toc_append(const struct toc *s, int fd);

/*
 * The list of a file, or of a piece of one, and its contents with it: 0, and
 * NULL when it has none; or -errno.
 */
int toc_open(struct toc **to, int fd, struct file_extent piece);

/* NULL: there is no such thing. */
const struct toc_entry *toc_find(struct toc *s, const char *name);

/* In the order of the list; NULL behind the last.  *name is its name. */
const struct toc_entry *toc_at(const struct toc *s, size_t i,
			       const char **name);

/*
 * The values, count * width bytes and a zero byte.  NULL: *err is -ENOMEM or,
 * when the file is damaged, -EINVAL.
 */
void *toc_values(const struct toc *s, const struct toc_entry *entry, int *err);
