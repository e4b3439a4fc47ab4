/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deflate.h - chunks of HDF5's filters shuffle and deflate, made and read
 * without HDF5, so that several threads can.
 *
 * Threads   Any.
 */
#pragma once

#include <stddef.h>

#define DEFLATE_BEHIND 64
#define DEFLATE_RATIO  1100 /* more than deflate can reach */
#define DEFLATE_QUICK  1    /* a level: as fast as can be */

/* The largest chunk that `bytes` can become. */
size_t deflate_most(size_t bytes);

/*
 * Pack count values of width bytes, shuffled first unless width is 1, into
 * `to`, which has room for deflate_most(); `work` has for the values.  The
 * size; 0: out of memory.
 */
size_t deflate_chunk(void *to, const void *values, size_t count, size_t width,
		     int level, void *work);

/*
 * The same back, of a chunk in memory that goes on for DEFLATE_BEHIND bytes, of
 * any value: exactly count values of width bytes, which `work` has room
 * for, too, when they were shuffled; else it is NULL.  0, -ENOMEM, or -EINVAL:
 * damaged.
 */
int deflate_undo(void *to, size_t count, size_t width, const void *from,
		 size_t size, void *work);
