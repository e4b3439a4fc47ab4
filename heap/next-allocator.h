/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * next-allocator.h - the allocator that the program would have without the
 * adapter: the C library's, or one that is preloaded or linked.
 *
 * It is looked up by the first call, from the loader itself.  A call that the
 * look-up makes is answered from a few KiB of our own, which are never freed.
 *
 * Threads   Any; the first call comes before there are several.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <malloc.h>

#include "base/hidden.h"

struct next_allocator {
#define ROW(name)               __typeof__(&(name)) name##_next;
#define ALLOCATES(name, ...)    ROW(name)
#define ALLOCATES_ALIGNED(name) ROW(name)
#define CHANGES(name, ...)      ROW(name)
#define FREES(name, ...)        ROW(name)
#include "heap/allocators.def"
#undef ROW
};

extern HIDDEN struct next_allocator next_allocator;

#define NEXT(name) (next_allocator.name##_next)

/* Answered before there was an allocator; marked as sampled blocks are. */
bool next_allocator_early(const void *block);

/* Bytes of so many things; SIZE_MAX: too many. */
static inline size_t next_allocator_bytes(size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? (size_t)-1 : bytes;
}

/* The same again by the allocator; NULL: it has no memory. */
void *next_allocator_move(void *block, size_t size);
