/* SPDX-License-Identifier: BSD-3-Clause */
/* deflate.c - streams of zlib, and the bytes of numbers sorted by place. */
#include <stdint.h>
#include <string.h>

#include "profile/deflate.h"
#include "profile/squeeze.h"

size_t deflate_most(size_t bytes)
{
	return squeeze_most(bytes);
}

/* Swap what lies `bytes` apart, with the bytes of `mask`. */
static inline void swap(uint64_t *a, uint64_t *b, unsigned int bytes,
			uint64_t mask)
{
	uint64_t differ = (*a >> 8 * bytes ^ *b) & mask;

	*b ^= differ;
	*a ^= differ << 8 * bytes;
}

/* Eight times eight bytes: the i-th of x[k] becomes the k-th of x[i]. */
static inline void turn(uint64_t x[8])
{
	for (int i = 0; i < 4; i++)
		swap(&x[i], &x[i + 4], 4, 0x00000000ffffffff);
	for (int i = 0; i < 8; i += i % 4 ? 3 : 1)
		swap(&x[i], &x[i + 2], 2, 0x0000ffff0000ffff);
	for (int i = 0; i < 8; i += 2)
		swap(&x[i], &x[i + 1], 1, 0x00ff00ff00ff00ff);
}

/*
 * The bytes of values of eight bytes, or of two times eight values of four, and
 * the same bytes by their place: plane k has byte k of all values.
 */
enum {
	WIDE = 8,   /* values of eight bytes at once */
	NARROW = 16 /* of four */
};

static void spread_wide(char *to, const char *from, size_t count, size_t i)
{
	uint64_t x[8];

	memcpy(x, from + 8 * i, sizeof(x));
	turn(x);
	for (size_t k = 0; k < 8; k++)
		memcpy(to + k * count + i, &x[k], sizeof(x[k]));
}

static void collect_wide(char *to, const char *from, size_t count, size_t i)
{
	uint64_t x[8];

	for (size_t k = 0; k < 8; k++)
		memcpy(&x[k], from + k * count + i, sizeof(x[k]));
	turn(x);
	memcpy(to + 8 * i, x, sizeof(x));
}

static void spread_narrow(char *to, const char *from, size_t count, size_t i)
{
	uint32_t value[NARROW];
	uint64_t x[8];

	memcpy(value, from + 4 * i, sizeof(value));
	for (size_t k = 0; k < 8; k++)
		x[k] = value[k] | (uint64_t)value[k + 8] << 32;
	turn(x);
	for (size_t k = 0; k < 4; k++) {
		memcpy(to + k * count + i, &x[k], sizeof(x[k]));
		memcpy(to + k * count + i + 8, &x[k + 4], sizeof(x[k]));
	}
}

static void collect_narrow(char *to, const char *from, size_t count, size_t i)
{
	uint32_t value[NARROW];
	uint64_t x[8];

	for (size_t k = 0; k < 4; k++) {
		memcpy(&x[k], from + k * count + i, sizeof(x[k]));
		memcpy(&x[k + 4], from + k * count + i + 8, sizeof(x[k]));
	}
	turn(x);
	for (size_t k = 0; k < 8; k++) {
		value[k] = (uint32_t)x[k];
		value[k + 8] = (uint32_t)(x[k] >> 32);
	}
	memcpy(to + 4 * i, value, sizeof(value));
}

static void shuffle(char *to, const char *from, size_t count, size_t width)
{
	size_t i = 0;

	for (; width == 8 && i + WIDE <= count; i += WIDE)
		spread_wide(to, from, count, i);
	for (; width == 4 && i + NARROW <= count; i += NARROW)
		spread_narrow(to, from, count, i);
	for (; i < count; i++)
		for (size_t byte = 0; byte < width; byte++)
			to[byte * count + i] = from[i * width + byte];
}

static void unshuffle(char *to, const char *from, size_t count, size_t width)
{
	size_t i = 0;

	for (; width == 8 && i + WIDE <= count; i += WIDE)
		collect_wide(to, from, count, i);
	for (; width == 4 && i + NARROW <= count; i += NARROW)
		collect_narrow(to, from, count, i);
	for (; i < count; i++)
		for (size_t byte = 0; byte < width; byte++)
			to[i * width + byte] = from[byte * count + i];
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
