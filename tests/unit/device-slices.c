/* SPDX-License-Identifier: BSD-3-Clause */
/* device-slices.c - traces of GPUs of several processes become one. */
#include <stdlib.h>

#include "tests/lib/test.h"
#include "waits/device-slices.h"

enum {
	EACH = 100
};

/* A process that did something at 1000, 1010, … of its clock, for 5 ns. */
struct traced {
	struct profile profile;
	struct profile_slice work[EACH];
	struct profile_slice_window window;
};

static struct traced *traced_new(size_t count)
{
	struct traced *t = calloc(1, sizeof(*t));

	for (size_t i = 0; i < count; i++)
		t->work[i] = (struct profile_slice){
			.start = 1000 + 10 * i,
			.end = 1005 + 10 * i,
			.launched = 990 + 10 * i,
			.id = (uint32_t)i,
		};
	t->window =
		(struct profile_slice_window){ .lost = 7, .lost_until = 999 };
	t->profile.slices = t->work;
	t->profile.slice_count = count;
	t->profile.slice_windows = &t->window;
	t->profile.slice_window_count = 1;
	return t;
}

/* Process i has counts[i], and a clock that began 500 i ns later. */
static struct run *merged(const size_t *counts, size_t processes, size_t most)
{
	const struct gatherer *g = &gatherer_device_slices;
	struct device_slices *state = calloc(1, g->size);
	struct clock_source sources[8] = { 0 };
	struct matched_events events = { .sources = sources,
					 .source_count = processes };
	struct run *run = calloc(1, sizeof(*run));
	const uint32_t order[] = { 0, 1, 2, 3 }, nodes[] = { 0 };
	struct clocks clocks = { 0 };

	CHECK(str_add(&run->strings, ""), ==, 0);
	CHECK(g->init(state), ==, 0);
	device_slices_bound(state, most);
	for (uint32_t i = 0; i < processes; i++) {
		struct traced *t = traced_new(counts[i]);
		const struct gathered one = { .profile = &t->profile,
					      .process = i,
					      .nodes = nodes,
					      .run = run };

		CHECK(g->add(state, &one), ==, 0);
		free(t);
		sources[i] = (struct clock_source){ .process = i,
						    .start_real = 7000,
						    .start_mono = 900 + 500 * i,
						    .end_mono = 5000 };
		sources[i].id[0] = (char)('a' + i);
	}
	CHECK(g->finish(state, run, order, nodes), ==, 0);
	CHECK(clocks_align(&clocks, &events, processes), ==, 0);
	CHECK(device_slices_make(run, state, &events, &clocks), ==, 0);
	clocks_fini(&clocks);
	g->fini(state);
	free(state);
	return run;
}

TEST(slices_stand_on_one_clock)
{
	const size_t counts[] = { 3, 2 };
	struct run *run = merged(counts, 2, 1000);
	const struct run_slices *s = &run->slices;

	CHECK(s->work_count, ==, 5);
	CHECK(s->axes->begin_real_ns, ==, 7000);
	CHECK(s->work[0].start_ns, ==, 100);
	CHECK(s->work[0].launched_ns, ==, 90);
	CHECK(s->work[0].ns, ==, 5);
	CHECK(s->work[2].start_ns, ==, 120);
	CHECK(s->work[3].rank, ==, 1);
	CHECK(s->window_count, ==, 2);
	CHECK(s->windows[0].lost, ==, 7);
	CHECK(s->windows[0].whole_ns, ==, 99);
	run_free(run);
}

/* 64 is the largest power of two that three can have of 200: 64 + 64 + 20. */
TEST(of_too_many_each_process_keeps_the_last)
{
	const size_t counts[][3] = { { 100, 100, 20 },
				     { 20, 100, 100 },
				     { 100, 20, 100 } };

	for (size_t i = 0; i < 3; i++) {
		struct run *run = merged(counts[i], 3, 200);
		const struct run_slices *s = &run->slices;

		CHECK(s->work_count, ==, 64 + 64 + 20);
		for (size_t w = 0; w < 3; w++) {
			bool all = counts[i][w] == 20;

			CHECK(s->windows[w].kept, ==, all ? 20 : 64);
			CHECK(s->windows[w].lost, ==, all ? 7 : 7 + 36);
		}
		for (size_t k = 0; k < s->work_count; k++)
			if (counts[i][s->work[k].rank] == 100)
				CHECK(s->work[k].id, >=, 36);
		run_free(run);
	}
}

TEST(nobody_asked_for_a_trace)
{
	struct run *run = merged(NULL, 0, 10);

	CHECK(run->slices.axis_count, ==, 0);
	run_free(run);
}
