/* SPDX-License-Identifier: BSD-3-Clause */
/* deflate.c - streams of zlib, and the bytes of numbers sorted by place. */
#include <stdint.h>
#include <string.h>

#include "profile/store/deflate.h"
#include "profile/store/compress.h"

_Static_assert(DEFLATE_BEHIND >= COMPRESS_BEHIND, "it is read");

size_t deflate_most(size_t bytes)
{
	return compress_most(bytes);
}

/*
 * Numbers and the same bytes by their place, where plane k has byte k of all of
 * them: 16 numbers at a time.  Two rows of 16 bytes become two others: a byte
 * of the first, one of the second, and so on; or back.
 */
enum {
	AT_ONCE = 16
};

typedef uint8_t row __attribute__((vector_size(AT_ONCE)));

#if __has_builtin(__builtin_shufflevector)
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else /* gcc before 12 */
#define PICK(a, b, ...) __builtin_shuffle(a, b, (row){ __VA_ARGS__ })
#endif

static inline void zip_rows(row *a, row *b)
{
	row low = PICK(*a, *b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22,
		       7, 23);
	row high = PICK(*a, *b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
			14, 30, 15, 31);

	*a = low;
	*b = high;
}

static inline void unzip_rows(row *a, row *b)
{
	row even = PICK(*a, *b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
			26, 28, 30);
	row odd = PICK(*a, *b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25,
		       27, 29, 31);

	*a = even;
	*b = odd;
}

/*
 * Planes become numbers by zips of rows that are ever nearer to each other, and
 * numbers planes by unzips the other way round.  All is written out: a compiler
 * keeps rows in registers only when it sees which they are.
 */
static inline void zip_two(row *x, int far)
{
	zip_rows(&x[0], &x[far]);
	zip_rows(&x[1], &x[far + 1]);
}

static inline void unzip_two(row *x, int far)
{
	unzip_rows(&x[0], &x[far]);
	unzip_rows(&x[1], &x[far + 1]);
}

static inline void zip_four(row *x)
{
	zip_two(x, 2);
	zip_rows(&x[0], &x[1]);
	zip_rows(&x[2], &x[3]);
}

static inline void unzip_four(row *x)
{
	unzip_rows(&x[0], &x[1]);
	unzip_rows(&x[2], &x[3]);
	unzip_two(x, 2);
}

static void spread_wide(char *to, const char *from, size_t count, size_t i)
{
	row x[8];

	memcpy(x, from + 8 * i, sizeof(x));
	unzip_four(x);
	unzip_four(x + 4);
	unzip_two(x, 4);
	unzip_two(x + 2, 4);
	for (size_t k = 0; k < 8; k++)
		memcpy(to + k * count + i, &x[k], sizeof(x[k]));
}

static void collect_wide(char *to, const char *from, size_t count, size_t i)
{
	row x[8];

	for (size_t k = 0; k < 8; k++)
		memcpy(&x[k], from + k * count + i, sizeof(x[k]));
	zip_two(x, 4);
	zip_two(x + 2, 4);
	zip_four(x);
	zip_four(x + 4);
	memcpy(to + 8 * i, x, sizeof(x));
}

static void spread_narrow(char *to, const char *from, size_t count, size_t i)
{
	row x[4];

	memcpy(x, from + 4 * i, sizeof(x));
	unzip_four(x);
	for (size_t k = 0; k < 4; k++)
		memcpy(to + k * count + i, &x[k], sizeof(x[k]));
}

static void collect_narrow(char *to, const char *from, size_t count, size_t i)
{
	row x[4];

	for (size_t k = 0; k < 4; k++)
		memcpy(&x[k], from + k * count + i, sizeof(x[k]));
	zip_four(x);
	memcpy(to + 4 * i, x, sizeof(x));
}

static void shuffle_bytes(char *to, const char *from, size_t count,
			  size_t width)
{
	size_t i = 0;

	for (; width == 8 && i + AT_ONCE <= count; i += AT_ONCE)
		spread_wide(to, from, count, i);
	for (; width == 4 && i + AT_ONCE <= count; i += AT_ONCE)
		spread_narrow(to, from, count, i);
	for (; i < count; i++)
		for (size_t byte = 0; byte < width; byte++)
			to[byte * count + i] = from[i * width + byte];
}

static void unshuffle_bytes(char *to, const char *from, size_t count,
			    size_t width)
{
	size_t i = 0;

	for (; width == 8 && i + AT_ONCE <= count; i += AT_ONCE)
		collect_wide(to, from, count, i);
	for (; width == 4 && i + AT_ONCE <= count; i += AT_ONCE)
		collect_narrow(to, from, count, i);
	for (; i < count; i++)
		for (size_t byte = 0; byte < width; byte++)
			to[i * width + byte] = from[byte * count + i];
}

size_t deflate_chunk(void *to, const void *values, size_t count, size_t width,
		     int level, void *work)
{
	if (width > 1) {
		shuffle_bytes(work, values, count, width);
		values = work;
	}
	return level == DEFLATE_QUICK
		       ? compress_quick(to, values, count * width)
		       : compress_data(to, values, count * width, level);
}

int deflate_undo(void *to, size_t count, size_t width, const void *from,
		 size_t size, void *work)
{
	int err = compress_undo(work ? work : to, count * width, from, size);

	if (err)
		return err;
	if (work)
		unshuffle_bytes(to, work, count, width);
	return 0;
}
