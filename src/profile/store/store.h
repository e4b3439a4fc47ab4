/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store.h - HDF5 files as this project uses them: groups of plain columns,
 * and attributes.  store.c and store-*.c are the only users of hdf5.h.
 *
 * Names       A name is a path below the root: "nodes/parent".  Groups are
 *             made as they are met.
 * Records     A table of fields says which members of a C struct are which
 *             columns (or attributes), once for writing and reading.
 * Failure     The first failure is kept with its reason, which names the file;
 *             all later calls do nothing.  So everything may be called, and
 *             store_error() or store_commit() asked at the end.
 * Ownership   What is read belongs to the caller and is freed with free().
 * Foreign     A file that is read is foreign input: types, lengths and sizes
 *             are checked here, the meaning of values by the caller.
 * Threads     Several, each with its own store.  HDF5 is for one at a time: a
 *             store that writes, or reads a file without a list behind its end
 *             (toc.h), keeps others of that kind waiting until it is
 *             closed, or rests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/store/extent.h"

struct store;

enum store_type {
	STORE_U8,
	STORE_U16,
	STORE_U32,
	STORE_I32,
	STORE_U64,
	STORE_F64,
	STORE_TEXT,  /* char *, NULL is written as "", read with malloc() */
	STORE_CHARS, /* char [width], always ended by 0 */
};

struct store_field {
	const char *name; /* NULL ends a table of fields */
	enum store_type type;
	size_t offset, width;
	bool added; /* older files lack it: 0 */
};

#define STORE_TYPE(member)                                                     \
	_Generic(&(member), uint8_t *: STORE_U8, uint16_t *: STORE_U16,        \
		uint32_t *: STORE_U32, int32_t *: STORE_I32,                   \
		uint64_t *: STORE_U64, double *: STORE_F64,                    \
		char **: STORE_TEXT, const char **: STORE_TEXT,                \
		default: STORE_CHARS)

/* A row of a table of fields, of the type that the member has. */
#define STORE_NAMED(name, record, member, added)                               \
	{                                                                      \
		name, STORE_TYPE(((record *)0)->member),                       \
			offsetof(record, member),                              \
			sizeof(((record *)0)->member), added                   \
	}
#define STORE_FIELD(record, member) STORE_NAMED(#member, record, member, false)
#define STORE_ADDED(record, member) STORE_NAMED(#member, record, member, true)

/*
 * TABLE and END_TABLE of base/table-rows.def, and between them such rows of
 * struct `row`: a function record_fields() that returns the table of fields.
 */
#define STORE_FIELDS(record, ...)                                              \
	static const struct store_field *record##_fields(void)                 \
	{                                                                      \
		typedef struct record row;                                     \
		static const struct store_field fields[] = {
#define STORE_END_FIELDS                                                       \
	{                                                                      \
		0                                                              \
	}                                                                      \
	}                                                                      \
	;                                                                      \
	return fields;                                                         \
	}

/* TABLE that writes, and reads, the rows that the struct `of` holds. */
#define STORE_PUT_TABLE(record, array, number, group, when)                    \
	if (when)                                                              \
		store_put_table(s, group, record##_fields(), of->array,        \
				sizeof(*of->array), of->number);
#define STORE_GET_TABLE(record, array, number, group, when)                    \
	if (when || store_has_table(s, group, record##_fields()))              \
		of->array = store_get_table(s, group, record##_fields(),       \
					    sizeof(*of->array), &of->number);

/* The temporary name of a file while that process writes it; NULL: no memory.
 */
char *store_temporary(const char *path, pid_t pid);

/*
 * A new file, written under a temporary name until store_commit().  `format`
 * and `version` become attributes of the root.  0, or -errno with a reason.
 */
int store_create(struct store **to, const char *path, const char *format,
		 uint32_t version);

/* The same in that folder, as regular.h has it. */
int store_create_in(struct store **to, int dir, const char *path,
		    const char *format, uint32_t version);

/* The same for large files: not kept in memory, and without a list. */
int store_create_large(struct store **to, const char *path, const char *format,
		       uint32_t version);

/*
 * An existing file of that format, at most of that version.  0, or -errno
 * with a reason: no HDF5 file, truncated, another format, a newer version.
 */
int store_open(struct store **to, const char *path, const char *format,
	       uint32_t version);

/* The same of a piece of a file. */
int store_open_piece(struct store **to, const char *path,
		     struct file_extent piece, const char *format,
		     uint32_t version);

/*
 * Complete what store_create() began: the file appears under its name only
 * now and only when nothing has failed.  Closes in any case.  0 or -errno.
 */
int store_commit(struct store *s);

/*
 * For programs that signals end: SIGHUP, SIGINT and SIGTERM first remove what
 * was not committed.
 */
void store_mind_signals(void);

/* Close; a file that was not committed is removed.  NULL is fine. */
void store_close(struct store *s);

/* The first failure: 0, or -errno; its reason is fail_reason() again. */
int store_error(struct store *s);

/* Record a failure of the caller's: "PATH: what".  Returns err. */
int store_fail(struct store *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Whether there is a column, or a group with attributes, of that name: older
 * files lack some.
 */
bool store_has(struct store *s, const char *name);

/* One column: `count` values of a numeric type. */
void store_put(struct store *s, const char *name, enum store_type type,
	       const void *values, size_t count);
/* NULL when there are none, or after a failure. */
void *store_get(struct store *s, const char *name, enum store_type type,
		size_t *count);

/*
 * A column that is made elsewhere, in chunks of `chunk` values as
 * deflate_chunk() packs them, the last one filled up with 0.  To be closed in
 * any case; NULL after a failure.  Chunks may come from several threads, one at
 * a time.
 */
struct store_column;
struct store_column *store_column_new(struct store *s, const char *name,
				      enum store_type type, size_t count,
				      size_t chunk);
int store_column_chunk(struct store_column *column, size_t index,
		       const void *packed, size_t size);
void store_column_close(struct store_column *column);

/*
 * A column of which parts are read, at any time until the store is closed.
 * Several threads may read, one at a time.  NULL after a failure.
 */
struct store_column *store_column_open(struct store *s, const char *name,
				       enum store_type type, size_t *count);
/* Values from … from + count - 1.  0, or -errno with a reason. */
int store_column_read(struct store_column *column, size_t from, size_t count,
		      void *to);

/*
 * A store that stays open, but for columns that are read, keeps others waiting
 * no longer.  Nothing else may be asked of it from now on.
 */
void store_rest(struct store *s);

/* Many strings of very different length: one column of bytes, each string
   ended by 0. */
void store_put_strings(struct store *s, const char *name, char *const *strings,
		       size_t count);
/* The bytes, ended by 0, with the number of strings; NULL after a failure. */
char *store_get_strings(struct store *s, const char *name, size_t *count);

/* An array of structs: one column per field in the group.  Texts become
   strings of one fixed length, as h5py and h5dump show them. */
void store_put_table(struct store *s, const char *group,
		     const struct store_field *fields, const void *rows,
		     size_t row_size, size_t count);
/* The array; members without a field are 0.  NULL when it has no rows, or
   after a failure.  Texts that were read are then freed. */
void *store_get_table(struct store *s, const char *group,
		      const struct store_field *fields, size_t row_size,
		      size_t *count);

/* The same into members of `count` rows that there are: as many as it has. */
void store_get_members(struct store *s, const char *group,
		       const struct store_field *fields, void *rows,
		       size_t row_size, size_t count);

/* Whether it is there: older files lack some, others that have no rows. */
bool store_has_table(struct store *s, const char *group,
		     const struct store_field *fields);

/* One struct: its fields as attributes of the group.  Texts longer than
   STORE_TEXT_MAX are cut and end in "...". */
#define STORE_TEXT_MAX 32000
void store_put_record(struct store *s, const char *group,
		      const struct store_field *fields, const void *record);
/* Fills the fields; what a text pointed to before is not freed. */
void store_get_record(struct store *s, const char *group,
		      const struct store_field *fields, void *record);

/* The names in a group, in alphabetical order: an array ended by NULL, in one
   piece for free().  NULL after a failure. */
char **store_list(struct store *s, const char *group, size_t *count);
