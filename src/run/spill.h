/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spill.h - bytes that are put aside: in memory as far as there is room, then
 * in files without a name.
 *
 * Memory    What the limit says, as it is used.
 * Threads   Several may put and get at the same time.
 * Failure   0, or -errno with a reason.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct spill;

/* Files are made in that directory, or in another.  NULL: out of memory. */
struct spill *spill_new(const char *directory, size_t memory);
void spill_free(struct spill *spill); /* NULL is fine */

/* Where the files would be. */
const char *spill_directory(const struct spill *spill);

/* Into *at, where they are. */
int spill_put(struct spill *spill, const void *bytes, size_t size,
	      uint64_t *at);

/* Some of what was put in one piece, from any place of it. */
int spill_get(const struct spill *spill, uint64_t at, size_t size, void *to);
