/* SPDX-License-Identifier: BSD-3-Clause */
/* deflate.c - streams of zlib, and the bytes of numbers sorted by place. */
#include "profile/deflate.h"
#include "profile/squeeze.h"

size_t deflate_most(size_t bytes)
{
	return squeeze_most(bytes);
}

/* Inlined for the widths that there are: all bytes of a value at once. */
static inline void spread(char *to, const char *from, size_t count,
			  size_t width)
{
	for (size_t i = 0; i < count; i++)
		for (size_t byte = 0; byte < width; byte++)
			to[byte * count + i] = from[i * width + byte];
}

static inline void collect(char *to, const char *from, size_t count,
			   size_t width)
{
	for (size_t i = 0; i < count; i++)
		for (size_t byte = 0; byte < width; byte++)
			to[i * width + byte] = from[byte * count + i];
}

static void shuffle(char *to, const char *from, size_t count, size_t width)
{
	if (width == 8)
		spread(to, from, count, 8);
	else if (width == 4)
		spread(to, from, count, 4);
	else
		spread(to, from, count, width);
}

static void unshuffle(char *to, const char *from, size_t count, size_t width)
{
	if (width == 8)
		collect(to, from, count, 8);
	else if (width == 4)
		collect(to, from, count, 4);
	else
		collect(to, from, count, width);
}

size_t deflate_chunk(void *to, const void *values, size_t count, size_t width,
		     int level, void *work)
{
	if (width > 1) {
		shuffle(work, values, count, width);
		values = work;
	}
	return squeeze(to, values, count * width, level);
}

int inflate_chunk(void *to, size_t count, size_t width, const void *from,
		  size_t size, void *work)
{
	int err = unsqueeze(work ? work : to, count * width, from, size);

	if (err)
		return err;
	if (work)
		unshuffle(to, work, count, width);
	return 0;
}
