/* SPDX-License-Identifier: BSD-3-Clause */
/* loop-nest.c - loops of small graphs, and of a very deep one. */
#include <stdlib.h>
#include <string.h>

#include "symbol/loop-code.h"
#include "tests/lib/test.h"

#define MOST 16

static uint32_t inside[MOST];
static bool is_header[MOST];

/* Edges as "01 12 21": from block 0 to 1, and so on, by from. */
static bool search(uint32_t count, const char *edges)
{
	uint32_t first[MOST + 1] = { 0 }, to[3 * MOST], n = 0;

	for (uint32_t b = 0; b < count; b++) {
		first[b] = n;
		for (const char *e = edges; *e; e += e[2] ? 3 : 2)
			if (e[0] == (char)('0' + b))
				to[n++] = (uint32_t)(e[1] - '0');
	}
	first[count] = n;
	return !loop_nest_find(&(struct loop_graph){ count, first, to }, inside,
			       is_header);
}

TEST(no_loop)
{
	CHECK(search(4, "01 02 13 23"));
	for (int b = 0; b < 4; b++)
		CHECK(inside[b] == LOOP_NONE && !is_header[b]);
}

TEST(one_block_that_repeats_itself)
{
	CHECK(search(3, "01 11 12"));
	CHECK(is_header[1]);
	CHECK(inside[1], ==, LOOP_NONE);
	CHECK(inside[0], ==, LOOP_NONE);
	CHECK(inside[2], ==, LOOP_NONE);
}

TEST(a_loop_in_a_loop)
{
	CHECK(search(6, "01 12 23 32 24 41 45"));
	CHECK(is_header[1]);
	CHECK(inside[1], ==, LOOP_NONE);
	CHECK(is_header[2]);
	CHECK(inside[2], ==, 1);
	CHECK(inside[3], ==, 2);
	CHECK(inside[4], ==, 1);
	CHECK(inside[5], ==, LOOP_NONE);
}

TEST(two_ways_back_are_one_loop)
{
	CHECK(search(5, "01 12 13 21 31 34"));
	CHECK(is_header[1] && !is_header[2] && !is_header[3]);
	CHECK(inside[2], ==, 1);
	CHECK(inside[3], ==, 1);
	CHECK(inside[4], ==, LOOP_NONE);
}

TEST(a_loop_with_two_entries)
{
	CHECK(search(4, "01 02 12 21 23"));
	CHECK(is_header[1], !=, is_header[2]);
	CHECK(inside[1] == 2 || inside[2] == 1);
	CHECK(inside[0], ==, LOOP_NONE);
	CHECK(inside[3], ==, LOOP_NONE);
}

TEST(a_way_into_an_inner_loop_from_the_outer_one)
{
	CHECK(search(6, "01 12 14 23 32 34 43 41 45"));
	CHECK(is_header[1]);
	for (uint32_t b = 2; b <= 4; b++) { /* all of them in the loop of 1 */
		uint32_t h = b;

		while (h != 1 && h != LOOP_NONE)
			h = inside[h];
		CHECK(h, ==, 1);
	}
	CHECK(inside[5], ==, LOOP_NONE);
}

TEST(what_nothing_leads_to)
{
	CHECK(search(5, "01 23 32 34"));
	CHECK(is_header[2]);
	CHECK(inside[3], ==, 2);
	CHECK(inside[4], ==, LOOP_NONE);
}

TEST(a_hundred_thousand_loops_in_each_other)
{
	enum {
		COUNT = 100000
	};
	uint32_t *first = calloc(COUNT + 1, sizeof(*first));
	uint32_t *to = calloc(2 * COUNT, sizeof(*to)), n = 0;
	uint32_t *in = calloc(COUNT, sizeof(*in));
	bool *head = calloc(COUNT, sizeof(*head));

	CHECK(first && to && in && head);
	for (uint32_t b = 0; b < COUNT; b++) { /* a chain; each repeats */
		first[b] = n;
		to[n++] = b;
		if (b + 1 < COUNT)
			to[n++] = b + 1;
	}
	first[COUNT] = n;
	CHECK(!loop_nest_find(&(struct loop_graph){ COUNT, first, to }, in,
			      head));
	for (uint32_t b = 0; b < COUNT; b++)
		CHECK(head[b] && in[b] == LOOP_NONE);
	free(first);
	free(to);
	free(in);
	free(head);
}

/* Machine code: 0: xor; 2: inc; 4: cmp; 7: jne 2; 9: ret */
static const unsigned char counting[] = { 0x31, 0xc0, 0xff, 0xc0, 0x83,
					  0xf8, 0x0a, 0x75, 0xf9, 0xc3 };

TEST(code_that_counts)
{
	struct loop_code code;

	CHECK(!loop_code_read(&code, counting, sizeof(counting), 0x1000, NULL));
	if (!code.count)
		SKIP("built without capstone");
	CHECK(loop_code_at(&code, 0x1000), ==, LOOP_NONE);
	CHECK(loop_code_at(&code, 0x1002), ==, 1);
	CHECK(loop_code_at(&code, 0x1007), ==, 1);
	CHECK(loop_code_at(&code, 0x1009), ==, LOOP_NONE);
	CHECK(loop_code_at(&code, 0x0fff), ==, LOOP_NONE);
	CHECK(loop_code_at(&code, 0x100a), ==, LOOP_NONE);
	loop_code_fini(&code);
}

/* 0: inc; 2: test; 4: je 0xb; 6: call 0x20; 0xb: dec; 0xd: jne 0; 0xf: ret,
   where the call does not return; 0x10: call 0x20; 0x15: jmp 0x10 */
static bool returns_not(void *of, uint64_t target)
{
	(void)of;
	return target != 0x1020;
}

TEST(a_call_that_does_not_return_is_no_way_round)
{
	static const unsigned char bytes[] = { 0xff, 0xc0, 0x85, 0xc0, 0x74,
					       0x05, 0xe8, 0x15, 0,    0,
					       0,    0xff, 0xc9, 0x75, 0xf1,
					       0xc3, 0xe8, 0x0b, 0,    0,
					       0,    0xeb, 0xf9 };
	const struct loop_calls calls = { returns_not, NULL };
	struct loop_code code;

	CHECK(!loop_code_read(&code, bytes, sizeof(bytes), 0x1000, &calls));
	if (!code.count)
		SKIP("built without capstone");
	CHECK(loop_code_at(&code, 0x1000 + 0), !=, LOOP_NONE);
	CHECK(loop_code_at(&code, 0x1000 + 0xb), !=, LOOP_NONE);
	CHECK(loop_code_at(&code, 0x1000 + 6), ==, LOOP_NONE);
	CHECK(loop_code_at(&code, 0x1000 + 0x10), ==, LOOP_NONE);
	loop_code_fini(&code);
	CHECK(!loop_code_read(&code, bytes, sizeof(bytes), 0x1000, NULL));
	CHECK(loop_code_at(&code, 0x1000 + 6), !=, LOOP_NONE);
	CHECK(loop_code_at(&code, 0x1000 + 0x10), !=, LOOP_NONE);
	loop_code_fini(&code);
}

/* Foreign input: whatever the bytes are. */
TEST(code_that_is_none)
{
	unsigned char bytes[512];

	srandom(1);
	for (int round = 0; round < 2000; round++) {
		struct loop_code code;
		size_t size = (size_t)random() % sizeof(bytes);

		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)random();
		for (size_t i = 0; i < size; i += sizeof(counting))
			if (random() % 2 && i + sizeof(counting) <= size)
				memcpy(bytes + i, counting, sizeof(counting));
		CHECK(!loop_code_read(&code, bytes, size, 0, NULL));
		for (size_t i = 0; i < size; i++)
			loop_code_at(&code, i);
		loop_code_fini(&code);
	}
}
