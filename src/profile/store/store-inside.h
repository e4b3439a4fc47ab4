/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store-inside.h - what the files of the store share: store.c makes, opens and
 * closes it, store-columns.c has its columns, store-tables.c its texts and
 * tables, store-records.c its attributes and lists of names.
 */
#pragma once

#include <hdf5.h>
#include <pthread.h>

#include "profile/store/store.h"
#include "profile/store/toc.h"

enum {
	NAME_MAX_BYTES = 256
};

/*
 * HDF5 is for one thread at a time: a store that uses it keeps the others out
 * until it is closed.  Recursive, since a thread may have two.
 */
extern pthread_mutex_t store_hdf5_lock;

struct reused_buffer { /* memory that is used again */
	void *at;
	size_t size;
};

struct store {
	hid_t file;      /* invalid: everything is read by the shortcut */
	struct toc *toc; /* NULL: none */
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

extern const size_t store_widths[]; /* of the numbers, by type */

/* The same in memory and in the file: copse runs on little-endian machines. */
hid_t store_number_type(enum store_type type);
bool store_is_text(enum store_type type);
/* Any identifier but a predefined type. */
void store_close_id(hid_t id);
hid_t store_group_properties(hid_t class);

/*
 * As store_fail(), with the innermost of HDF5's own reasons: those of its last
 * call, so this comes before anything is closed.
 */
int store_hdf5_fail(struct store *s, const char *what, const char *name);
/* The group or dataset of that name is missing, or damaged. */
void store_cannot_open(struct store *s, const char *what, const char *name);

/* Whether there is to be memory for these values: a failure if not. */
bool store_may_take(struct store *s, const char *name, size_t count,
		    size_t width);

/* The group; made, with those above it, when it is not there. */
hid_t store_group_open(struct store *s, const char *name);
int store_join_names(struct store *s, char *to, const char *group,
		     const char *name);

/* What the list behind the file says of a column or an attribute. */
void store_list_entry(struct store *s, const char *group, char between,
		      const char *name, const struct toc_entry *entry,
		      const void *values);
/*
 * By the list: the values of `name`, of that type or, of a text, as wide as it
 * is.  NULL when there are none, or after a failure.
 */
void *store_listed_values(struct store *s, const char *what, const char *name,
			  enum store_type type, size_t *width, size_t *count);

/* A dataset, `type` is what its values are, or become in memory. */
hid_t store_set_open(struct store *s, const char *name, H5T_class_t class);
void store_write_column(struct store *s, const char *name, enum store_type kind,
			hid_t type, const void *values, size_t count);
void *store_read_values(struct store *s, const char *name, hid_t set,
			hid_t type, size_t *count);

/* Texts: of a member, into a member, and their types. */
const char *store_row_text(const struct store_field *field, const char *row);
void store_set_text(struct store *s, const struct store_field *field, char *row,
		    const char *text, size_t width);
hid_t store_text_type(size_t width);
hid_t store_text_in_memory(hid_t in_file);
