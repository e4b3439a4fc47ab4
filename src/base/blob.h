/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blob.h - a growing buffer of bytes.
 *
 * Ownership   A blob owns its bytes.
 * Failure     A blob remembers that there was no memory: blob_reach() returns
 *             NULL from then on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blob { /* all zero: an empty one */
	char *at;
	size_t size, room;
	bool exhausted; /* out of memory */
};

void blob_fini(struct blob *blob);

/* Forget the contents, keep the memory. */
void blob_clear(struct blob *blob);

/* 0, or -ENOMEM with a reason when something could not be put. */
int blob_error(const struct blob *blob);

/*
 * Room for up to `most` bytes.  The caller writes them and adds their number to
 * blob->size.  NULL: out of memory.
 */
uint8_t *blob_reach(struct blob *blob, size_t most);
