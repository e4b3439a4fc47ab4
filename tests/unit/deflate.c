/* SPDX-License-Identifier: BSD-3-Clause */
/* deflate.c - chunks come back as they were, and their bytes are sorted as HDF5
   does it. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "profile/store/deflate.h"
#include "tests/lib/test.h"

enum {
	MOST = 100, /* values: some groups of 16, and what is left of one */
	WIDEST = 8
};

static void check(const unsigned char *values, size_t count, size_t width)
{
	size_t bytes = count * width;
	char *packed = calloc(1, deflate_most(bytes) + DEFLATE_BEHIND);
	unsigned char work[MOST * WIDEST], back[MOST * WIDEST];
	unsigned char sorted[MOST * WIDEST];
	size_t size = deflate_chunk(packed, values, count, width, 2, work);

	CHECK(size, >, 0);
	CHECK(!deflate_undo(back, count, width, packed, size,
			    width > 1 ? work : NULL));
	CHECK(!memcmp(back, values, bytes));
	CHECK(!deflate_undo(sorted, bytes, 1, packed, size, NULL));
	for (size_t i = 0; i < count; i++)
		for (size_t byte = 0; byte < width; byte++)
			CHECK(sorted[byte * count + i], ==,
			      values[i * width + byte]);
	CHECK(deflate_undo(back, count - 1, width, packed, size, work), ==,
	      -EINVAL);
	packed[size / 2] ^= 0x55;
	CHECK(deflate_undo(back, count, width, packed, size,
			   width > 1 ? work : NULL),
	      ==, -EINVAL);
	free(packed);
}

TEST(chunks_come_back_as_they_were)
{
	static const size_t widths[] = { 1, 2, 4, 8 };
	unsigned char values[MOST * WIDEST];

	for (size_t i = 0; i < sizeof(values); i++)
		values[i] = (unsigned char)(i * 2654435761u >> 13);
	for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++)
		for (size_t count = 2; count <= MOST; count++)
			check(values, count, widths[w]);
}

/* What is made is read by zlib in HDF5, and here by what deflate_undo() has.
 */
enum {
	NUMBERS = 70000 /* more than one stored block of each plane */
};

static void check_numbers(const uint64_t *values, size_t count, size_t most)
{
	size_t bytes = count * sizeof(*values);
	char *packed = calloc(1, deflate_most(bytes) + DEFLATE_BEHIND);
	char *work = malloc(bytes);
	char *back = malloc(bytes);
	uLongf got = bytes;
	size_t size = deflate_chunk(packed, values, count, sizeof(*values),
				    DEFLATE_QUICK, work);

	CHECK(size, >, 0);
	CHECK(size, <=, most);
	CHECK(size, <=, deflate_most(bytes));
	CHECK(uncompress((Bytef *)back, &got, (Bytef *)packed, size), ==, Z_OK);
	CHECK(got, ==, bytes);
	CHECK(!memcmp(back, work, bytes));
	CHECK(!deflate_undo(back, count, sizeof(*values), packed, size, work));
	CHECK(!memcmp(back, values, bytes));
	free(packed);
	free(work);
	free(back);
}

static uint64_t noise(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* In each of these another kind of plane: runs, noise, and what is between. */
TEST(numbers_come_back_as_they_were)
{
	static const size_t counts[] = { 1, 2, 9, 300, 65535, NUMBERS };
	uint64_t *values = calloc(NUMBERS, sizeof(*values)), state = 1;

	for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
		size_t n = counts[c], all = n * sizeof(*values) + 2000;

		memset(values, 0, n * sizeof(*values));
		check_numbers(values, n, 200 + n / 50);
		memset(values, 0xa5, n * sizeof(*values));
		check_numbers(values, n, 200 + n / 50);
		for (size_t i = 0; i < n; i++)
			values[i] = noise(&state) << 33 ^ noise(&state);
		check_numbers(values, n, all);
		for (size_t i = 0; i < n; i++)
			values[i] >>= noise(&state) % 64;
		check_numbers(values, n, all);
		for (size_t i = 0; i < n; i++)
			values[i] = i / 261 + (noise(&state) % 50 == 0);
		check_numbers(values, n, 500 + 2 * n);
	}
	free(values);
}

/*
 * What is made is a matter of what is in it alone.  ISA-L has some 360 KB of
 * memory for it; what is kept meanwhile makes malloc() give other memory each
 * time.  These bytes became two streams, one time in twenty the other.
 */
TEST(the_same_becomes_the_same_anywhere)
{
	static const unsigned char values[] = {
		1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0
	};
	enum {
		TIMES = 400,
		KEPT = 300 * 1024
	};
	char packed[2][1000], *kept[TIMES];
	size_t size[2] = { 0 }, other = 0;

	CHECK(deflate_most(sizeof(values)), <=, sizeof(packed[0]));
	for (size_t i = 0; i < TIMES; i++) {
		kept[i] = malloc(KEPT);
		size[i > 0] =
			deflate_chunk(packed[i > 0], values, sizeof(values), 1,
				      DEFLATE_QUICK, NULL);
		other += i && (size[0] != size[1] ||
			       memcmp(packed[0], packed[1], size[0]) != 0);
	}
	for (size_t i = 0; i < TIMES; i++)
		free(kept[i]);
	CHECK(size[0], >, 0);
	CHECK(other, ==, 0);
}
