/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blob.h - bytes that grow: what one process of this program writes down for
 * another one, on a machine of the same kind, to read in the same order.
 *
 * Ownership   A blob owns its bytes; what is got from it points into them.
 * Alignment   Each piece begins at a multiple of 8 bytes.
 * Failure     Is kept: what is put after it is dropped, what is got is NULL.
 */
#ifndef BASE_BLOB_H
#define BASE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct blob { /* all zero: an empty one */
	char *at;
	size_t size, room;
	size_t read;    /* so far */
	bool exhausted; /* out of memory; or less is there than was asked for */
};

void blob_fini(struct blob *blob);

/* Forget the contents, keep the memory. */
void blob_clear(struct blob *blob);

/* 0, or -ENOMEM with a reason when something could not be put. */
int blob_error(const struct blob *blob);

/* `count` things of `size` bytes, and their number. */
void blob_put(struct blob *blob, const void *at, size_t count, size_t size);

/* The next ones, which were put with that size; NULL when it has none. */
const void *blob_get(struct blob *blob, size_t *count, size_t size);

/* One thing; false, and *to as it was, when it is not there. */
bool blob_get_one(struct blob *blob, void *to, size_t size);

/* Bytes without a number or alignment, up to `most` of them, to be written by
   the caller, who then adds to blob->size.  NULL: out of memory. */
uint8_t *blob_reach(struct blob *blob, size_t most);

void blob_put_text(struct blob *blob, const char *text);
/* NULL when it is not there. */
const char *blob_get_text(struct blob *blob);

/* All strings of a pool, in their order. */
void blob_put_strings(struct blob *blob, const struct strings *strings);

/*
 * Add them to a pool: what their numbers became, by malloc.  NULL: out of
 * memory, or they are not there.
 */
uint32_t *blob_get_strings(struct blob *blob, struct strings *to);

#endif
