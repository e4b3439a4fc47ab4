/* SPDX-License-Identifier: BSD-3-Clause */
/* history.c - spans of time, and what is left of them when they are too many.
 */
#include "collect/gpu/history.h"
#include "collect/source.h"
#include "tests/lib/test.h"

static struct span spans[HISTORY_SPANS];

static void sample(struct history *h, live_ref node, uint64_t from, uint64_t to)
{
	history_sample(h, node, to, to - from, to - from);
}

/* Asked at a call behind it: 9 ms of 10 it cannot have been on its core. */
TEST(a_hole_before_a_call)
{
	struct history *h = history_new(7);

	history_call(h, 1, 1000000, 1100000);
	CHECK(!history_has_hole(h, 1200000, 20000));
	CHECK(!history_has_hole(h, 2100000, 500000));
	CHECK(history_has_hole(h, 11100000, 20000));
	history_back(h, 2, 11100000, 51000000, 50000000);
	history_call(h, 2, 11100000, 11120000);
	CHECK(history_read(7, spans), ==, 3);
	CHECK(spans[1].kind, ==, SPAN_OFF);
	CHECK(spans[1].from, ==, 1100000);
	CHECK(spans[1].to, ==, 10100000);
	CHECK(spans[1].node, ==, 2);
	/* It has computed since. */
	history_back(h, 2, 13120000, 52900000, 50000000);
	CHECK(history_read(7, spans), ==, 3);
}

TEST(a_call_takes_the_place_of_its_samples)
{
	struct history *h = history_new(3);

	sample(h, 1, 1000, 2000);
	sample(h, 2, 2000, 3000);
	sample(h, 2, 3000, 4000);
	history_call(h, 5, 2500, 4500);
	CHECK(history_read(3, spans), ==, 3);
	CHECK(spans[1].node, ==, 2);
	CHECK(spans[1].from, ==, 2000);
	CHECK(spans[1].to, ==, 2500);
	CHECK(spans[2].node, ==, 5);
	CHECK(spans[2].kind, ==, SPAN_CALL);
	CHECK(spans[2].to, ==, 4500);
	CHECK(history_read(4, spans), ==, 0);
}

/* What the CPU clock did not see is nobody's. */
TEST(a_thread_that_did_not_run)
{
	struct history *h = history_new(0);

	sample(h, 1, 1000000, 2000000);
	history_sample(h, 2, 12000000, 10000000, 1000000);
	CHECK(history_read(0, spans), ==, 3);
	CHECK(spans[1].kind, ==, SPAN_OFF);
	CHECK(spans[1].from, ==, 2000000);
	CHECK(spans[1].to, ==, 11000000);
	CHECK(spans[2].kind, ==, SPAN_SAMPLE);
	CHECK(spans[2].to, ==, 12000000);
}

/* Sums over many hold: three parts of node 1 for each of node 2. */
TEST(full_keeps_shares)
{
	struct history *h = history_new(1);
	uint64_t at = 1000, of[3] = { 0 };
	uint32_t count;

	for (int i = 0; i < 10 * HISTORY_SPANS; i++) {
		history_call(h, 1, at, at + 300);
		history_call(h, 2, at + 300, at + 400);
		at += 400;
	}
	count = history_read(1, spans);
	CHECK(count, >=, HISTORY_SPANS / 8);
	CHECK(count, <=, HISTORY_SPANS);
	for (uint32_t i = 0; i < count; i++) {
		CHECK(!i || spans[i].from >= spans[i - 1].to);
		of[spans[i].node] += spans[i].to - spans[i].from;
	}
	CHECK(spans[0].from, ==, 1000);
	CHECK(spans[count - 1].to, ==, at);
	CHECK(of[1] + of[2], ==, at - 1000);
	CHECK(of[1], >, of[2] * 27 / 10);
	CHECK(of[1], <, of[2] * 33 / 10);
}

/* What was asked for goes first. */
TEST(settled_is_forgotten)
{
	struct history *h = history_new(1);
	uint32_t count;

	for (uint64_t i = 0; i < HISTORY_SPANS; i++)
		history_call(h, 1, 10 * i, 10 * i + 5);
	history_settled(10 * (HISTORY_SPANS - 100));
	for (uint64_t i = 0; i < 1000; i++)
		history_call(h, 1, 10 * (HISTORY_SPANS + i),
			     10 * (HISTORY_SPANS + i) + 5);
	count = history_read(1, spans);
	CHECK(count, >=, 1000);
	CHECK(count, <=, HISTORY_SPANS / 2);
	CHECK(spans[count - 1000].from, ==, 10 * HISTORY_SPANS);
	CHECK(spans[count - 1].from, ==, 10 * (HISTORY_SPANS + 999));
}

/* A handler has to wait for each of them. */
TEST(no_change_looks_at_many)
{
	const uint32_t full = HISTORY_SPANS / 4 * 3;
	struct history *h = history_new(2);
	uint32_t before = 0, fewest = HISTORY_SPANS;

	for (uint32_t i = 0; i < full + 600; i++) {
		uint32_t count;

		history_call(h, 1 + i % 2, 20 * i, 20 * i + 10);
		if (i < full - 10)
			continue;
		count = history_read(2, spans);
		CHECK(count);
		CHECK(count + 64, >=, before);
		before = count;
		fewest = count < fewest ? count : fewest;
	}
	CHECK(fewest, <=, HISTORY_SPANS / 2 + 600);
	CHECK(spans[0].from, ==, 0);
	CHECK(spans[before - 1].to, ==, 20 * full + 11990);
}

extern const struct source source_history;

TEST(so_many_threads_and_no_more)
{
	for (uint32_t i = 0; i < HISTORY_THREADS; i++)
		CHECK(history_new(i));
	CHECK(!history_new(HISTORY_THREADS));
	source_history.fork(); /* in the child */
	CHECK(history_new(0));
}
