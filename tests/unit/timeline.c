/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline.c - times of processes that share a device, laid over one another.
 */
#include "run/run-tables.h"
#include "merge/timeline.h"
#include "tests/lib/test.h"

static void add(struct timeline *line, uint64_t first, uint32_t shift,
		uint32_t count, uint64_t ns)
{
	static struct profile_bin bins[RUN_GPU_BINS];

	for (uint32_t i = 0; i < count; i++)
		bins[i] = (struct profile_bin){ .bin = i, .ns = ns };
	CHECK(!timeline_add(line, first, shift, bins, count));
}

static int is_near(double a, double b)
{
	return a - b < 0.001 * b && b - a < 0.001 * b;
}

TEST(one_process)
{
	struct timeline line = { 0 };
	struct timeline_sums sums;

	add(&line, 7, 10, 100, 512);
	sums = timeline_sums(&line);
	CHECK(is_near(sums.likely, 51200) && is_near(sums.least, 51200) &&
	      is_near(sums.most, 51200));
	timeline_fini(&line);
}

/* Full bins at the same time: one of them is all. */
TEST(at_once)
{
	struct timeline line = { 0 };
	struct timeline_sums sums;

	add(&line, 5, 10, 100, 1024);
	add(&line, 5, 10, 100, 1024);
	sums = timeline_sums(&line);
	CHECK(is_near(sums.likely, 102400) && is_near(sums.most, 102400) &&
	      is_near(sums.least, 102400));
	timeline_fini(&line);
}

/* The same bins, half full: from one half to all of them. */
TEST(perhaps_at_once)
{
	struct timeline line = { 0 };
	struct timeline_sums sums;

	add(&line, 5, 10, 100, 512);
	add(&line, 5, 10, 100, 512);
	sums = timeline_sums(&line);
	CHECK(is_near(sums.least, 51200) && is_near(sums.most, 102400) &&
	      is_near(sums.likely, 76800));
	timeline_fini(&line);
}

/* One after the other, bins of different widths: the sum, in any order. */
TEST(in_turn)
{
	struct timeline a = { 0 }, b = { 0 };

	add(&a, 0, 10, 64, 1024);
	add(&a, 32, 12, 16, 4096);
	add(&b, 32, 12, 16, 4096);
	add(&b, 0, 10, 64, 1024);
	CHECK(is_near(timeline_sums(&a).likely, 2 * 65536));
	CHECK(is_near(timeline_sums(&b).likely, 2 * 65536));
	CHECK(a.shift, ==, 12);
	CHECK(b.shift, ==, 12);
	CHECK(a.first, ==, 0);
	timeline_fini(&a);
	timeline_fini(&b);
}

/* So far apart that the bins have to be wide. */
TEST(memory_is_bounded)
{
	struct timeline line = { 0 };

	add(&line, 0, 4, 1, 16);
	add(&line, (uint64_t)1 << 40, 4, 1, 16);
	CHECK(line.count, <=, RUN_GPU_BINS);
	CHECK(is_near(timeline_sums(&line).most, 32));
	timeline_fini(&line);
}
