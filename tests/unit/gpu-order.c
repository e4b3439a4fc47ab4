/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-order.c - pieces of work come out in the order of their start. */
#include "collect/gpu/gpu-order.h"
#include "tests/lib/test.h"

static uint64_t last;
static uint32_t taken, backwards;

static void take(const struct live_piece *piece)
{
	if (!piece)
		return;
	backwards += piece->start < last;
	last = piece->start;
	taken++;
}

static void add(uint64_t start, uint64_t end)
{
	const struct live_piece piece = { .start = start, .end = end };

	CHECK(gpu_order_add(&piece, take));
}

/* Some scattered order that visits each place once. */
static uint32_t scattered(uint32_t i, uint32_t count)
{
	return (uint32_t)((uint64_t)i * 7919 % count);
}

TEST(any_order_within_the_window)
{
	for (uint32_t i = 0; i < GPU_WINDOW; i++)
		add(1000 + scattered(i, GPU_WINDOW), 100000);
	CHECK(!taken);
	gpu_order_settle(true, take);
	CHECK(taken, ==, GPU_WINDOW);
	CHECK(!backwards);
}

/* Blocks of two streams that come one after the other. */
TEST(blocks_of_streams)
{
	for (uint32_t block = 0; block < 40; block++)
		for (uint32_t i = 0; i < 2000; i++) {
			uint64_t at = block / 2 * 2000 + i;

			add(2 * at + block % 2, 2 * at + 100);
		}
	gpu_order_settle(true, take);
	CHECK(taken, ==, 80000);
	CHECK(!backwards);
}

/* One that is later than the window and 1.2 s of records. */
TEST(too_late_is_out_of_order)
{
	for (uint64_t i = 0; i < 4 * GPU_WINDOW; i++)
		add(10 + i, 11 + i);
	CHECK(taken, >=, GPU_WINDOW);
	CHECK(!backwards);
	add(1, 2);
	gpu_order_settle(true, take);
	CHECK(taken, ==, 4 * GPU_WINDOW + 1);
	CHECK(backwards, ==, 1);
}

TEST(the_past_is_taken_when_time_has_passed)
{
	add(1000, 2000);
	gpu_order_settle(false, take);
	CHECK(!taken);
	add(3000000000, 3000001000);
	gpu_order_settle(false, take);
	CHECK(taken, ==, 1);
	gpu_order_reset(NULL);
	gpu_order_settle(true, take);
	CHECK(taken, ==, 1);
}
