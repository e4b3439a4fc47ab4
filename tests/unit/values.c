/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c - streams of values, in memory and in the file, and work in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "merge/values.h"
#include "merge/work.h"
#include "tests/test.h"

enum {
	RANKS = 700,
	NODES = 3, /* of the run; each is two of the unified tree */
};

/* Some are missing, some have more than 32 bits, few are small. */
static uint64_t value_of(uint32_t node, uint32_t rank)
{
	uint64_t x = (node + 1) * 0x9e3779b97f4a7c15u ^ rank * 0x94d049bb1331u;

	x ^= x >> 29;
	return rank % (node + 2) ? 0 : x >> (x % 60) | 1;
}

static void build(struct run *run, struct run_metric *metric, size_t memory)
{
	struct run_source *source = calloc(1, sizeof(*source));

	*metric = (struct run_metric){ .merge = MERGE_SUM };
	*run = (struct run){ .metrics = metric,
			     .metric_count = 1,
			     .node_count = NODES,
			     .source = source };
	source->values = values_new("/tmp", memory);
	source->rank_count = RANKS;
	source->metric_count = 1;
	source->metrics = calloc(1, sizeof(*source->metrics));
	source->order = calloc(RANKS, sizeof(*source->order));
	source->metrics->nodes = calloc(2 * NODES, sizeof(uint32_t));
	source->metrics->first = calloc(NODES + 1, sizeof(uint32_t));
	for (uint32_t r = 0; r < RANKS; r++)
		source->order[r] = RANKS - 1 - r; /* backwards */
	source->order[5] = UINT32_MAX;
	for (uint32_t n = 0; n < 2 * NODES; n++) {
		source->metrics->nodes[n] = n;
		source->metrics->first[n / 2 + 1] = n + 1;
	}
	for (uint32_t r = 0; r < RANKS; r++)
		for (uint32_t n = 0; n < 2 * NODES; n++)
			if (value_of(n, r))
				CHECK(!values_add(source->values,
						  &source->metrics->streams, n,
						  r, value_of(n, r)));
}

static void check_node(const struct run *run, uint32_t node,
		       struct value_buffer *buffer)
{
	const struct run_value *at;
	size_t count, i = 0;

	CHECK(!values_of_node(run, 0, node, buffer, &at, &count));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		uint32_t from = RANKS - 1 - rank;
		uint64_t a = value_of(2 * node, from);
		uint64_t b = value_of(2 * node + 1, from);

		if (from == 5 || !(a || b))
			continue;
		CHECK(i < count && at[i].rank == rank);
		CHECK(at[i++].value == a + b);
	}
	CHECK(i == count);
}

static void check_all(size_t memory)
{
	struct value_buffer buffer = { 0 };
	struct run_metric metric;
	struct run run;

	build(&run, &metric, memory);
	for (uint32_t n = 0; n < NODES; n++)
		check_node(&run, n, &buffer);
	check_node(&run, 0, &buffer); /* again, another before it */
	value_buffer_fini(&buffer);
	run_source_free(run.source);
}

TEST(values_come_back_by_node)
{
	check_all((size_t)1 << 30);
}

TEST(values_beyond_the_memory_come_back_by_node)
{
	check_all(0);
}

/* Work */

struct count {
	size_t taken, dropped, fails_at;
};

static int make(void *of, size_t i, void **item)
{
	const struct count *c = of;

	if (i % 7 == 3)
		usleep(500); /* the others are done before */
	if (i == c->fails_at)
		return fail(-EIO, "number %zu", i);
	*item = malloc(1);
	return 0;
}

static int take(void *of, size_t i, void *item)
{
	struct count *c = of;

	free(item);
	return i == c->taken++ ? 0 : fail(-EINVAL, "out of order");
}

TEST(work_is_taken_in_order)
{
	for (unsigned int threads = 0; threads < 9; threads++) {
		struct count c = { .fails_at = 1000 };
		struct work work = { 300, make, take, free, &c };

		CHECK(!work_run(&work, threads));
		CHECK(c.taken == 300);
	}
}

TEST(nothing_is_taken_behind_a_failure)
{
	for (unsigned int threads = 1; threads < 9; threads++) {
		struct count c = { .fails_at = 100 };
		struct work work = { 300, make, take, free, &c };

		CHECK(work_run(&work, threads) == -EIO);
		CHECK(!strcmp(fail_reason(), "number 100"));
		CHECK(c.taken == 100);
	}
}

TEST(by_rank_a_rank_without_values_has_none)
{
	struct run_metric metric = { .merge = MERGE_SUM };
	struct run run = { .node_count = 3,
			   .rank_count = 4,
			   .metric_count = 1,
			   .metrics = &metric };
	const uint32_t ranks[] = { 1, 3 };
	const uint64_t values[] = { 70, 90 };
	struct run *to = transpose_new(&run, 0);
	struct value_buffer buffer = { 0 };
	const struct run_value *at;
	size_t count = 9;

	CHECK(to && !transpose_add(to, ranks, values, 2, 2));
	transpose_finish(to);
	for (uint32_t rank = 0; rank < 4; rank++) {
		CHECK(!values_of_node(to, 0, rank, &buffer, &at, &count));
		CHECK(count == rank % 2);
		if (count)
			CHECK(at->rank == 2 && at->value == values[rank / 2]);
	}
	value_buffer_fini(&buffer);
	transpose_free(to);
}
