/* SPDX-License-Identifier: BSD-3-Clause */
/* spans.c - sums, the longest one and percentiles of ranges. */
#include "live/spans.h"

#include <string.h>

#include "tests/lib/test.h"

static struct live_range range;

static void put(uint64_t ns, const char *name)
{
	struct live_span span = { .calls = 1,
				  .begin_ns = 1000 + ns,
				  .time_ns = ns,
				  .busy_ns = ns / 2 };

	strcpy(span.text, name);
	spans_add(&range, &span);
}

static bool is_within_3_percent(uint64_t is, uint64_t wanted)
{
	return is > wanted - wanted * 3 / 100 && is < wanted + wanted * 3 / 100;
}

TEST(percentiles_are_within_3_percent)
{
	const uint64_t units[] = { 20000, 1000000, 77000000, 3600000000000 };

	for (size_t u = 0; u < sizeof(units) / sizeof(*units); u++) {
		memset(&range, 0, sizeof(range));
		for (uint64_t i = 1; i <= 1000; i++)
			put(i * 389 % 1000 * units[u] / 100, "step");
		CHECK(is_within_3_percent(
			spans_quantile(range.time_buckets, 0.95),
			units[u] / 10 * 95));
		CHECK(is_within_3_percent(
			spans_quantile(range.busy_buckets, 0.5),
			units[u] / 10 * 25));
	}
}

TEST(the_longest_is_kept_and_names_that_differ)
{
	memset(&range, 0, sizeof(range));
	put(5000, "step 1");
	CHECK(range.several, ==, 0);
	put(9000, "step 2");
	put(7000, "step 3");
	CHECK(range.several, ==, 1);
	CHECK(range.calls, ==, 3);
	CHECK(range.time_ns, ==, 21000);
	CHECK(range.longest_ns, ==, 9000);
	CHECK(range.longest_at_ns, ==, 10000);
	CHECK(!strcmp(range.longest, "step 2"));
}
