/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-awaited.c - for which work a call that waits did so. */
#include "collect/gpu/gpu-awaited.h"
#include "collect/gpu/gpu-live.h"
#include "collect/gpu/gpu.h"
#include "tests/unit/measured.h"

#define US ((uint64_t)1000)

enum { /* nodes and names: only their numbers count here */
	SYNC = 11,
	OTHER,
	ALPHA = 21,
	BETA,
};

static void begin(void)
{
	measured_begin(16);
	copse_gpu_add(NULL, 0);
}

static void waits(live_ref node, uint64_t from, uint64_t to,
		  enum gpu_waits for_what)
{
	const struct gpu_wait wait = { .from = from,
				       .to = to,
				       .inside = to - from,
				       .node = node,
				       .thread = 3,
				       .for_what = for_what };

	gpu_awaited_call(&wait);
}

/* Launched at 1 us unless it is said. */
static void works(uint32_t name, uint32_t stream, uint64_t start, uint64_t end,
		  uint64_t begun)
{
	const struct live_piece piece = { .start = start,
					  .end = end,
					  .begun = begun ? begun : US,
					  .stream = stream,
					  .kernel = LIVE_PIECE_KERNEL,
					  .name = name };

	gpu_awaited_work(&piece, gpu_sums_awaited);
}

static uint64_t awaited(live_ref node, uint32_t name)
{
	const struct live_header *header = registry_header();
	const char *base = (const char *)header;
	live_ref ref = header->gpu;
	uint64_t sum = 0;

	while (ref) {
		const struct live_chunk *chunk =
			(const void *)(base + (uint64_t)ref * LIVE_UNIT);
		const struct live_gpu *g = (const void *)(chunk + 1);

		for (uint32_t i = 0; i < chunk->count; i++)
			if (g[i].node == node && g[i].name == name &&
			    g[i].kind == LIVE_GPU_AWAITED)
				sum += g[i].ns;
		ref = chunk->next;
	}
	return sum;
}

/* The part of the work that it waited for, of each name. */
TEST(what_ran_meanwhile_was_waited_for)
{
	begin();
	waits(SYNC, 100 * US, 400 * US, GPU_WAITS_STREAM);
	works(ALPHA, 1, 50 * US, 150 * US, 0);
	works(BETA, 1, 150 * US, 390 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA), ==, 50 * US);
	CHECK(awaited(SYNC, BETA), ==, 240 * US);
}

/* It returned when one stream was done, the other one worked on. */
TEST(a_stream_that_works_on_was_not_waited_for)
{
	begin();
	waits(SYNC, 100 * US, 200 * US, GPU_WAITS_STREAM);
	works(BETA, 2, 90 * US, 900 * US, 0);
	works(ALPHA, 1, 100 * US, 195 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA), ==, 95 * US);
	CHECK(!awaited(SYNC, BETA));
}

/* Of a device all streams that were done. */
TEST(a_device_is_all_its_streams)
{
	begin();
	waits(SYNC, 100 * US, 200 * US, GPU_WAITS_DEVICE);
	works(BETA, 2, 110 * US, 150 * US, 0);
	works(ALPHA, 1, 120 * US, 195 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA), ==, 75 * US);
	CHECK(awaited(SYNC, BETA), ==, 40 * US);
}

/* Another thread launched it meanwhile. */
TEST(what_was_launched_later_was_not_waited_for)
{
	begin();
	waits(SYNC, 100 * US, 200 * US, GPU_WAITS_DEVICE);
	works(ALPHA, 1, 100 * US, 150 * US, 0);
	works(BETA, 1, 150 * US, 195 * US, 140 * US);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA), ==, 50 * US);
	CHECK(!awaited(SYNC, BETA));
}

/* Threads end their waits in another order than they begin them. */
TEST(waits_of_several_threads)
{
	begin();
	waits(OTHER, 300 * US, 350 * US, GPU_WAITS_STREAM);
	waits(SYNC, 100 * US, 400 * US, GPU_WAITS_STREAM);
	works(ALPHA, 1, 150 * US, 390 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA), ==, 240 * US);
	CHECK(awaited(OTHER, ALPHA), ==, 50 * US);
}

/* Those with most time stay where there are too many names. */
TEST(many_kernels_of_one_wait)
{
	begin();
	waits(SYNC, 100 * US, 10000 * US, GPU_WAITS_STREAM);
	works(ALPHA, 1, 100 * US, 5000 * US, 0);
	for (uint32_t i = 0; i < 20; i++)
		works(100 + i, 1, (5000 + 100 * i) * US, (5050 + 100 * i) * US,
		      0);
	works(BETA, 1, 9000 * US, 9990 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA), ==, 4900 * US);
	CHECK(awaited(SYNC, BETA), ==, 990 * US);
}

/* A launch whose queue is full: work runs before, meanwhile and afterwards. */
TEST(a_full_queue_is_waited_for)
{
	begin();
	waits(SYNC, 10100 * US, 10200 * US, GPU_WAITS_PERHAPS);
	works(ALPHA, 1, 10050 * US, 10140 * US, 0);
	works(BETA, 2, 10120 * US, 10160 * US, 0);
	works(ALPHA, 1, 10162 * US, 10260 * US, 0);
	works(ALPHA, 1, 10260 * US, 10360 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA) / US, ==, 64); /* 98 us of 118, 78 of them */
	CHECK(awaited(SYNC, BETA) / US, ==, 33);
}

/* A thread that launches was off its core beside some work. */
TEST(a_launch_beside_work_does_not_wait)
{
	begin();
	waits(SYNC, 100 * US, 200 * US, GPU_WAITS_PERHAPS);
	works(ALPHA, 1, 50 * US, 150 * US, 0);
	works(ALPHA, 1, 150 * US, 250 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(!awaited(SYNC, ALPHA));
}

/* Of pageable memory: behind a kernel, and done when it returns. */
TEST(a_copy_that_has_ended_was_waited_for)
{
	const struct live_piece copy = { .start = 160 * US,
					 .end = 199 * US,
					 .begun = 101 * US,
					 .stream = 1,
					 .kernel = LIVE_PIECE_COPY,
					 .name = BETA };

	begin();
	waits(SYNC, 100 * US, 200 * US, GPU_WAITS_PERHAPS);
	works(ALPHA, 1, 50 * US, 160 * US, 0);
	gpu_awaited_work(&copy, gpu_sums_awaited);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA) / US, ==, 60);
	CHECK(awaited(SYNC, BETA) / US, >=, 38);
}

/* Many launches at one place take few places of the ring. */
TEST(launches_into_a_full_queue_are_one)
{
	begin();
	for (uint64_t i = 0; i < 200000; i++)
		waits(SYNC, (100 + 20 * i) * US, (115 + 20 * i) * US,
		      GPU_WAITS_PERHAPS);
	CHECK(!registry_header()->losses[LOSS_GPU_AWAITED]);
	for (uint64_t i = 0; i < 400000; i++)
		works(ALPHA, 1, (100 + 10 * i) * US, (110 + 10 * i) * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA) / US, >=, 15 * 200000 * 99 / 100);
	CHECK(awaited(SYNC, ALPHA) / US, <=, 15 * 200000);
}

/* Its queue was full before, but not all the time. */
TEST(a_call_that_may_wait_does_not_always)
{
	begin();
	waits(SYNC, 10100 * US, 10200 * US, GPU_WAITS_PERHAPS);
	works(ALPHA, 1, 10050 * US, 10180 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(!awaited(SYNC, ALPHA));
}

TEST(more_waits_than_there_is_room_for_are_counted)
{
	begin();
	for (uint64_t i = 0; i < 20000; i++)
		waits(SYNC, (100 + 20 * i) * US, (115 + 20 * i) * US,
		      GPU_WAITS_STREAM);
	CHECK(registry_header()->losses[LOSS_GPU_AWAITED], ==, 20000 - 16384);
	works(ALPHA, 1, 100 * US, 115 * US, 0);
	gpu_awaited_settle(gpu_sums_awaited);
	CHECK(awaited(SYNC, ALPHA), ==, 15 * US);
}
