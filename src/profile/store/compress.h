/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compress.h - bytes to a zlib stream and back, by libdeflate where there was
 * one when this was built, else by zlib itself.  libdeflate does the same in
 * two thirds of the time, the way back in less than half of it, and its streams
 * are a little smaller; both have been used everywhere for years.
 *
 * Threads   Any.
 */
#pragma once

#include <stddef.h>

/* The largest that `bytes` can become. */
size_t compress_most(size_t bytes);

/*
 * The size of what is now in `to`, which has that room; 0: out of memory.
 * Above level 9 libdeflate alone does more.
 */
size_t compress_data(void *to, const void *from, size_t bytes, int level);

/*
 * The same, but as fast as can be: by ISA-L where there was one when this was
 * built, in a fifth of the time of level 1, else at that level.
 */
size_t compress_quick(void *to, const void *from, size_t bytes);

/*
 * Exactly `bytes` of them back, of which COMPRESS_BEHIND behind the stream may
 * be read, whatever they are: libdeflate goes byte by byte where there are
 * fewer, and all the zeros that often end a stream are in its last few bytes.
 * 0, -ENOMEM, or -EINVAL: damaged.
 */
#define COMPRESS_BEHIND 64
int compress_undo(void *to, size_t bytes, const void *from, size_t size);
