/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-idle.c - whom a gap between work of GPUs is given to. */
#include "collect/gpu/gpu-idle.h"
#include "collect/gpu/gpu.h"
#include "collect/gpu/history.h"
#include "tests/unit/measured.h"

#define US ((uint64_t)1000)

enum { /* nodes: only their numbers count here */
	LAUNCH = 11,
	SOLVE,
	MEET,
};

static struct history *history;

static void begin(void)
{
	measured_begin(16);
	copse_gpu_add(NULL, 0);
	history = history_new(3);
	CHECK(history);
	/* Every launch takes 5 us to arrive. */
	gpu_idle_delay(5 * US);
}

static void gap(uint64_t from, uint64_t to, uint64_t begun)
{
	const struct gpu_gap one = { .from = from,
				     .to = to,
				     .begun = begun,
				     .node = LAUNCH,
				     .thread = 3 };

	gpu_idle_gap(&one);
}

/* What became of all gaps: of a node itself, or of a child of some name. */
static uint64_t idle(live_ref node, int named)
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
			if (g[i].node == node && g[i].kind == LIVE_GPU_IDLE &&
			    (g[i].name != LIVE_NO_NAME) == named)
				sum += g[i].ns;
		ref = chunk->next;
	}
	return sum;
}

/* Until the launch it is what the thread did, then the launch's own. */
TEST(the_launch_came_late)
{
	begin();
	history_call(history, MEET, 1000 * US, 1600 * US);
	history_sample(history, SOLVE, 2000 * US, 400 * US, 400 * US);
	gap(1200 * US, 2010 * US, 1990 * US);
	gpu_idle_settled(0);
	CHECK(idle(MEET, 0), ==, 400 * US);
	CHECK(idle(SOLVE, 0), ==, 390 * US);
	CHECK(idle(LAUNCH, 0), ==, 20 * US);
}

/* Launched before the gap, begun as fast as can be: the time before that. */
TEST(the_launch_was_under_way)
{
	begin();
	history_sample(history, SOLVE, 2000 * US, 1000 * US, 1000 * US);
	gap(1503 * US, 1505 * US, 1500 * US);
	gpu_idle_settled(0);
	CHECK(idle(SOLVE, 0), ==, 2 * US);
	CHECK(!idle(LAUNCH, 0));
}

/* Launched long before: something else held it up. */
TEST(the_work_was_queued)
{
	begin();
	history_sample(history, SOLVE, 2000 * US, 1000 * US, 1000 * US);
	gap(1500 * US, 1600 * US, 1100 * US);
	gpu_idle_settled(0);
	CHECK(idle(LAUNCH, 1), ==, 100 * US);
	CHECK(!idle(SOLVE, 0));
}

/* Until the launch returned it was why. */
TEST(the_launch_took_long)
{
	begin();
	history_call(history, LAUNCH, 1100 * US, 1550 * US);
	gap(1500 * US, 1560 * US, 1100 * US);
	gpu_idle_settled(0);
	CHECK(idle(LAUNCH, 0), ==, 60 * US);
	gap(1520 * US, 1900 * US, 1100 * US);
	gpu_idle_settled(0);
	CHECK(idle(LAUNCH, 0), ==, (60 + 30) * US);
	CHECK(idle(LAUNCH, 1), ==, 350 * US);
}

/* Between calls the next sample tells; where none comes, the launch is it. */
TEST(holes)
{
	begin();
	history_call(history, MEET, 1000 * US, 1100 * US);
	history_call(history, MEET, 1150 * US, 1250 * US);
	history_call(history, MEET, 1300 * US, 1400 * US);
	history_sample(history, SOLVE, 1450 * US, 50 * US, 50 * US);
	history_call(history, MEET, 1500 * US, 1600 * US);
	gap(1050 * US, 1340 * US, 1340 * US);
	gap(1550 * US, 1700 * US, 1690 * US);
	gpu_idle_settled(0);
	CHECK(idle(MEET, 0), ==, (50 + 100 + 40 + 50) * US);
	CHECK(idle(SOLVE, 0), ==, (50 + 50) * US);
	CHECK(idle(LAUNCH, 0), ==, (90 + 10) * US);
}

TEST(not_running)
{
	begin();
	history_sample(history, SOLVE, 1000 * US, 500 * US, 500 * US);
	history_sample(history, SOLVE, 9000 * US, 8000 * US, 1000 * US);
	gap(1000 * US, 9000 * US, 9000 * US);
	gpu_idle_settled(0);
	CHECK(idle(SOLVE, 1), ==, 7000 * US);
	CHECK(idle(SOLVE, 0), ==, 1000 * US);
}

/* What was before measuring went on is nobody's. */
TEST(a_pause)
{
	begin();
	history_sample(history, SOLVE, 2000 * US, 1000 * US, 1000 * US);
	gpu_idle_resumed(1800 * US);
	gap(1200 * US, 1900 * US, 1900 * US);
	gpu_idle_settled(0);
	CHECK(idle(SOLVE, 0), ==, 100 * US);
}

TEST(a_call_that_nobody_knows)
{
	const struct gpu_gap one = { .from = 100 * US,
				     .to = 150 * US,
				     .why = LOSS_GPU_UNSEEN };

	begin();
	gpu_idle_gap(&one);
	gpu_idle_settled(0);
	CHECK(idle(0, 0), ==, 50 * US);
}

/* Of many pauses each ends in the gap that it is in; older ones are unknown. */
TEST(many_pauses)
{
	begin();
	for (uint64_t i = 1; i <= 5000; i++)
		gpu_idle_resumed(i * 1000 * US);
	for (uint64_t i = 1; i <= 5000; i++)
		gap(i * 1000 * US - 300 * US, i * 1000 * US + 100 * US,
		    i * 1000 * US + 100 * US);
	gpu_idle_settled(0);
	CHECK(idle(LAUNCH, 0), ==, 4096 * 100 * US);
}
