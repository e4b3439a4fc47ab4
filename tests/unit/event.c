/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/perf-attr.h"
#include "base/event.h"
#include "tests/lib/test.h"

static const struct event two[] = {
	{ .name = "PAPI_L1_TCM",
	  .part_count = 2,
	  .parts = { { .type = 4, .config = 0xffffffffffffffffu },
		     { .type = 4, .config1 = 7, .minus = true } } },
	{ .name = "perf::PAGE-FAULTS:u=1",
	  .period = 100,
	  .user_only = true,
	  .part_count = 1,
	  .parts = { { .type = 1, .config = 2, .no_kernel = true } } },
};

TEST(events_survive_as_text)
{
	struct event read[EVENT_MOST];
	char text[1024];

	CHECK(event_write(text, sizeof(text), two, 2));
	CHECK(event_read(text, read, EVENT_MOST), ==, 2);
	CHECK(read[0].name, ==, "PAPI_L1_TCM");
	CHECK(read[0].part_count, ==, 2);
	CHECK(!read[0].period);
	CHECK(read[0].parts[0].config, ==, 0xffffffffffffffffu);
	CHECK(read[0].parts[1].minus);
	CHECK(read[0].parts[1].config1, ==, 7);
	CHECK(read[1].period, ==, 100);
	CHECK(read[1].user_only);
	CHECK(read[1].parts[0].config, ==, 2);
	CHECK(read[1].parts[0].no_kernel);
}

TEST(event_text_that_does_not_fit_is_refused)
{
	char text[40];

	CHECK(!event_write(text, sizeof(text), two, 2));
}

TEST(event_text_that_makes_no_sense_is_left_out)
{
	struct event read[EVENT_MOST];

	CHECK(event_read("", read, EVENT_MOST), ==, 0);
	CHECK(event_read("name", read, EVENT_MOST), ==, 0);
	CHECK(event_read("name 1 0", read, EVENT_MOST), ==, 0);
	CHECK(event_read("name 1 0 + 1 x", read, EVENT_MOST), ==, 0);
	CHECK(event_read("a 1 0 + 1 2 0 0 0 0;b", read, EVENT_MOST), ==, 1);
	CHECK(event_read("a 1 0 + 1 2 0 0 0 0;b 0 0 + 1 3 0 0 0 0", read, 1),
	      ==, 1);
}

TEST(only_a_sampled_event_makes_ticks)
{
	struct perf_attr attr;

	event_attr(&attr, &two[0], &two[0].parts[0]);
	CHECK(!attr.sigtrap && !attr.sample_period && !attr.exclude_kernel);
	event_attr(&attr, &two[1], &two[1].parts[0]);
	CHECK(attr.sigtrap);
	CHECK(attr.sample_period, ==, 100);
	CHECK(attr.exclude_kernel && attr.remove_on_exec);
}
