/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blob.h - a growing buffer of bytes by which one process of copse passes data
 * to another.  Both run on the same kind of machine; what one puts, the other
 * gets in the same order.
 *
 * Ownership   A blob owns its bytes; what blob_get…() returns points into them.
 * Alignment   Each item begins at a multiple of 8 bytes.
 * Failure     A blob remembers its first failure.  After it, blob_put…() does
 *             nothing and blob_get…() returns NULL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct blob { /* all zero: an empty one */
	char *at;
	size_t size, room;
	size_t read;    /* so far */
	bool exhausted; /* out of memory, or fewer bytes than were asked for */
};

void blob_fini(struct blob *blob);

/* Forget the contents, keep the memory. */
void blob_clear(struct blob *blob);

/* 0, or -ENOMEM with a reason when something could not be put. */
int blob_error(const struct blob *blob);

/* Put `count` and as many elements of `size` bytes. */
void blob_put(struct blob *blob, const void *at, size_t count, size_t size);

/* Get the next elements, which were put with that size; NULL: there are none.
 */
const void *blob_get(struct blob *blob, size_t *count, size_t size);

/* Get one element; false, with *to unchanged, when there is none. */
bool blob_get_one(struct blob *blob, void *to, size_t size);

/*
 * Room for up to `most` bytes, without a count or alignment.  The caller writes
 * them and adds their number to blob->size.  NULL: out of memory.
 */
uint8_t *blob_reach(struct blob *blob, size_t most);

void blob_put_text(struct blob *blob, const char *text);
/* NULL: there is none. */
const char *blob_get_text(struct blob *blob);

/* All strings of a pool, in their order. */
void blob_put_strings(struct blob *blob, const struct strings *strings);

/*
 * Get all strings and add them to a pool.  Returns an array, by malloc, that
 * maps the index of each in the old pool to its index in the new one.  NULL:
 * out of memory, or there are no strings.
 */
uint32_t *blob_get_strings(struct blob *blob, struct strings *to);
