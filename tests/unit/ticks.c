/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/sampling/ticks.h"

#include "arch/timestamp.h"
#include "collect/time.h"
#include "tests/lib/test.h"

#include <stdlib.h>

enum {
	AWAY_NS = 20000, /* that a test's process may be off its core */
};

static void spin(uint64_t ns)
{
	uint64_t end = time_now(CLOCK_MONOTONIC) + ns;

	while (time_now(CLOCK_MONOTONIC) < end)
		;
}

/* The smallest difference of some readings: the others were interrupted. */
static int64_t nearest(const struct ticks *ticks)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t counter = timestamp_read();
		int64_t off = (int64_t)(time_now(CLOCK_MONOTONIC) -
					ticks_at(ticks, counter));

		if (llabs(off) < llabs(best))
			best = off;
	}
	return best;
}

TEST(ticks_without_leave_only_tell_what_something_cost)
{
	struct ticks ticks = { 0 };

	ticks_set(&ticks);
	spin(2000000);
	ticks_set(&ticks);
	CHECK(ticks.scale && !ticks.is_clock);
}

TEST(a_counter_that_went_back_tells_nothing)
{
	struct ticks ticks = { .counter =
				       timestamp_read() + ((uint64_t)1 << 60),
			       .scale = 7 };

	ticks_set(&ticks);
	CHECK(ticks.scale, ==, 7);
	CHECK(ticks.counter, <=, timestamp_read());
}

TEST(ticks_follow_the_clock)
{
	struct ticks ticks = { 0 };

	ticks_init();
	ticks_set(&ticks);
	spin(20000000);
	ticks_set(&ticks);
	if (!ticks.is_clock) /* the kernel's clock is another one */
		return;
	spin(20000000);
	CHECK(llabs(nearest(&ticks)), <, AWAY_NS);
}

TEST(ticks_reach_into_the_past)
{
	struct ticks ticks = { 0 };
	uint64_t then, counter;

	ticks_init();
	ticks_set(&ticks);
	then = time_now(CLOCK_MONOTONIC);
	counter = timestamp_read();
	spin(20000000);
	ticks_set(&ticks);
	if (!ticks.is_clock)
		return;
	CHECK(llabs((int64_t)(ticks_at(&ticks, counter) - then)), <,
	      100 * AWAY_NS);
	CHECK(ticks_took(&ticks, ticks.counter - counter), >, 19000000);
}

TEST(ticks_are_not_set_by_a_short_stretch)
{
	struct ticks ticks = { 0 };

	ticks_init();
	ticks_set(&ticks);
	ticks_set(&ticks);
	CHECK(ticks.scale, ==, 0);
}
