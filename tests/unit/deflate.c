/* SPDX-License-Identifier: BSD-3-Clause */
/* deflate.c - chunks come back as they were, and their bytes are sorted as HDF5
   does it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/deflate.h"
#include "tests/test.h"

enum {
	MOST = 100, /* values: some groups of 16, and what is left of one */
	WIDEST = 8
};

static void check(const unsigned char *values, size_t count, size_t width)
{
	size_t bytes = count * width;
	char *packed = malloc(deflate_most(bytes));
	unsigned char work[MOST * WIDEST], back[MOST * WIDEST];
	unsigned char sorted[MOST * WIDEST];
	size_t size = deflate_chunk(packed, values, count, width, 2, work);

	CHECK(size > 0);
	CHECK(!inflate_chunk(back, count, width, packed, size,
			     width > 1 ? work : NULL));
	CHECK(!memcmp(back, values, bytes));
	CHECK(!inflate_chunk(sorted, bytes, 1, packed, size, NULL));
	for (size_t i = 0; i < count; i++)
		for (size_t byte = 0; byte < width; byte++)
			CHECK(sorted[byte * count + i] ==
			      values[i * width + byte]);
	CHECK(inflate_chunk(back, count - 1, width, packed, size, work) ==
	      -EINVAL);
	packed[size / 2] ^= 0x55;
	CHECK(inflate_chunk(back, count, width, packed, size,
			    width > 1 ? work : NULL) == -EINVAL);
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
