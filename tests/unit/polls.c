/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/sampling/polls.h"

#include "collect/collect.h"
#include "live/layout.h"
#include "tests/lib/test.h"

enum {
	DRAWS = 20000,
};

/* How many polls until one is drawn, and with that one. */
static uint32_t gap(struct polls *p)
{
	p->left = 0;
	polls_thin(p, true);
	return p->left;
}

TEST(polls_are_drawn_by_lot)
{
	static struct polls p;
	uint32_t seen[2 * POLLS_EVERY] = { 0 };
	double sum = 0;

	p.random = 1;
	for (int i = 0; i < DRAWS; i++) {
		uint32_t left = gap(&p);

		CHECK(left, >, 0);
		CHECK(left, <, 2 * POLLS_EVERY);
		seen[left]++;
		sum += left;
	}
	CHECK(sum / DRAWS, >, 0.98 * POLLS_EVERY);
	CHECK(sum / DRAWS, <, 1.02 * POLLS_EVERY);
	for (int i = 1; i < 2 * POLLS_EVERY; i++)
		CHECK(seen[i], >, DRAWS / (4 * POLLS_EVERY));
	polls_thin(&p, false);
}

TEST(polls_keep_their_lot)
{
	static struct polls p;
	uint32_t left = gap(&p);

	CHECK(copse_polls == &p);
	polls_thin(&p, true);
	polls_forget(&p);
	CHECK(p.left, ==, left);
	polls_thin(&p, false);
	CHECK(p.left, ==, 0);
	CHECK(!copse_polls);
}

TEST(polls_passed_by_take_what_one_takes)
{
	static struct polls p;

	p.since_ns = 1000;
	polls_took(&p, 100);
	p.skipped = 10;
	CHECK(polls_settle(&p, 1000 + 2000), ==, 10 * 100);
	CHECK(p.skipped, ==, 0);
	CHECK(p.interval_ns, ==, 200);
	CHECK(p.excess_ns, ==, 0);
	p.skipped = 10;
	CHECK(polls_settle(&p, 1000 + 700), ==,
	      700); /* no more than there was */
}

/* As if a core was lost, or a message was copied: it is said, not shared out.
 */
TEST(polls_and_what_is_long)
{
	static struct polls p;

	polls_took(&p, 100);
	p.skipped = 10;
	polls_settle(&p, 2000);
	p.skipped = 10;
	CHECK(polls_settle(&p, 2000 + 5000000), ==, 1000);
	CHECK(p.excess_ns, ==, 5000000);
	CHECK(p.interval_ns, ==, 200);
}

/* Nobody polled in that time. */
TEST(polls_and_a_pause)
{
	static struct polls p;

	polls_took(&p, 100);
	p.skipped = 10;
	polls_settle(&p, 2000);
	p.skipped = 10;
	p.last = 1;
	p.since_pauses = collect_pauses - 1;
	polls_settle(&p, 2000 + 5000000);
	CHECK(p.skipped, ==, 0);
	CHECK(p.excess_ns, ==, 0);
	CHECK(p.last, ==, 0);
	CHECK(p.interval_ns, ==, 200);
}

TEST(polls_of_a_thread_that_has_ended)
{
	static struct polls p;
	struct region *none = NULL;

	polls_took(&p, 100);
	p.skipped = 10;
	p.excess_ns = 1000000;
	p.last = 1;
	polls_start(&p, &none, false);
	CHECK(p.skipped, ==, 0);
	CHECK(p.excess_ns, ==, 0);
	CHECK(p.last, ==, 0);
	CHECK(p.usual_ns, ==, 0);
}

/* Of the time beyond what is usual: as much as of that at those drawn. */
TEST(polls_that_are_long_are_told_later)
{
	static struct polls p;
	struct live_call call = { 0 };

	polls_took(&p, 100);
	p.skipped = 10;
	CHECK(polls_settle(&p, 10000), ==, 1000);
	p.since_ns = 10000;
	p.skipped = 10;
	CHECK(polls_settle(&p, 20000 + 400000), ==, 1000);
	CHECK(p.sums.excess_ns, ==, 400000);
	polls_sampled(&p, &call, 30000, 0);
	polls_sampled(&p, &call, 100, 30000);
	CHECK(call.drawn, ==, 1);
	CHECK(call.long_ns, ==, 30000);
	p.since_ns = 420000;
	p.skipped = 10;
	CHECK(polls_settle(&p, 430000), ==, 10000); /* that is all there was */
	p.since_ns = 430000;
	p.skipped = 10;
	CHECK(polls_settle(&p, 430000 + 10000 + 200000), ==, 210000);
}
