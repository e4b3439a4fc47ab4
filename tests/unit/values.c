/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values.c - values by node and by rank: from records to tiles, in memory and
 * in the file, and work in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "run/values.h"
#include "base/ordered-pool.h"
#include "tests/lib/test.h"

enum {
	RANKS = 700,
	NODES = 70, /* of the run; each is two of the unified tree */
	THREADS = 2,
	LEFT_OUT = 5 /* a process */
};

/* Some are missing, some have more than 32 bits, few are small. */
static uint64_t value_of(uint32_t node, uint32_t process)
{
	uint64_t x =
		(node + 1) * 0x9e3779b97f4a7c15u ^ process * 0x94d049bb1331u;

	x ^= x >> 29;
	return process % (node % 7 + 2) ? 0 : x >> (x % 60) | 1;
}

/* Nodes in an order of the profile's own; each value is that of two threads. */
static void add_process(struct records *records, uint32_t process)
{
	static struct profile_value values[THREADS * 2 * NODES];
	static uint32_t nodes[2 * NODES];
	const uint32_t metrics[] = { 0 };
	struct profile_column column = { .merge = MERGE_SUM, .values = values };
	struct profile p = { .columns = &column, .column_count = 1 };

	for (uint32_t i = 0; i < 2 * NODES; i++) {
		uint64_t value;

		nodes[i] = (i + process) * 9 % (2 * NODES);
		value = value_of(nodes[i], process);
		if (!value)
			continue;
		values[column.count++] = (struct profile_value){ i, 0, 1 };
		values[column.count++] =
			(struct profile_value){ i, 1, value - 1 };
	}
	CHECK(!records_add(records, process, &p, nodes, metrics));
}

static void build(struct run *run, struct run_metric *metric, size_t memory)
{
	static uint32_t became[2 * NODES], order[RANKS];
	const uint32_t metric_of[] = { 0 };
	struct run_source_names names = { became,    order, metric_of,
					  2 * NODES, RANKS, 1 };

	for (uint32_t n = 0; n < 2 * NODES; n++)
		became[n] = n / 2;
	for (uint32_t r = 0; r < RANKS; r++)
		order[r] = RANKS - 1 - r; /* backwards */
	order[LEFT_OUT] = UINT32_MAX;
	*metric = (struct run_metric){ .merge = MERGE_SUM };
	*run = (struct run){ .metrics = metric,
			     .metric_count = 1,
			     .node_count = NODES,
			     .rank_count = RANKS,
			     .source = run_source_new(1, &names) };
	run->source->records = records_new("/tmp", memory);
	for (uint32_t process = 0; process < RANKS; process++)
		add_process(run->source->records, process);
	CHECK(!values_arrange(run));
}

static uint64_t sum_of(uint32_t node, uint32_t rank)
{
	uint32_t process = RANKS - 1 - rank;

	return process == LEFT_OUT ? 0
				   : value_of(2 * node, process) +
					     value_of(2 * node + 1, process);
}

static void check_node(const struct run *run, uint32_t node,
		       struct value_buffer *buffer)
{
	const struct run_value *at;
	size_t count, i = 0;

	CHECK(!values_of_node(run, 0, node, buffer, &at, &count));
	CHECK(count, ==,
	      run->metrics->first[node + 1] - run->metrics->first[node]);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		if (!sum_of(node, rank))
			continue;
		CHECK(i, <, count);
		CHECK(at[i].rank, ==, rank);
		CHECK(at[i++].value, ==, sum_of(node, rank));
	}
	CHECK(i, ==, count);
}

static void check_rank(const struct run *run, uint32_t rank,
		       struct value_buffer *buffer)
{
	const uint64_t *first = tiles_first_by_rank(run->source->tiles, 0);
	const struct run_value *at;
	size_t count, i = 0;

	CHECK(!values_of_rank(run, 0, rank, buffer, &at, &count));
	CHECK(count, ==, first[rank + 1] - first[rank]);
	for (uint32_t node = 0; node < NODES; node++) {
		if (!sum_of(node, rank))
			continue;
		CHECK(i, <, count);
		CHECK(at[i].rank, ==, node);
		CHECK(at[i++].value, ==, sum_of(node, rank));
	}
	CHECK(i, ==, count);
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
	for (uint32_t rank = 0; rank < RANKS; rank++)
		check_rank(&run, rank, &buffer);
	check_node(&run, NODES - 1, &buffer);
	value_buffer_fini(&buffer);
	run_source_free(run.source);
	free(metric.first);
}

TEST(values_come_back_by_node_and_by_rank)
{
	check_all((size_t)1 << 30);
}

TEST(values_beyond_the_memory_come_back_by_node_and_by_rank)
{
	check_all(0);
	check_all(10000);
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
		struct ordered_work work = { 300, make, take, NULL, free, &c };

		CHECK(!ordered_pool_run(&work, threads));
		CHECK(c.taken, ==, 300);
	}
}

TEST(nothing_is_taken_behind_a_failure)
{
	for (unsigned int threads = 1; threads < 9; threads++) {
		struct count c = { .fails_at = 100 };
		struct ordered_work work = { 300, make, take, NULL, free, &c };

		CHECK(ordered_pool_run(&work, threads), ==, -EIO);
		CHECK(fail_reason(), ==, "number 100");
		CHECK(c.taken, ==, 100);
	}
}

/* What is taken is finished once, and dropped once; so is what is not. */
static int take_and_keep(void *of, size_t i, void *item)
{
	struct count *c = of;

	(void)item;
	return i == c->taken++ ? 0 : fail(-EINVAL, "out of order");
}

static int finish(void *of, size_t i, void *item)
{
	struct count *c = of;

	*(char *)item = 1;
	__atomic_fetch_add(&c->dropped, 1, __ATOMIC_RELAXED);
	return i == 150 && c->fails_at == 150 ? fail(-EFBIG, "unfinished") : 0;
}

TEST(work_is_finished_by_any_thread)
{
	for (unsigned int threads = 0; threads < 9; threads++) {
		struct count c = { .fails_at = 1000 };
		struct ordered_work work = { 300,    make, take_and_keep,
					     finish, free, &c };

		CHECK(!ordered_pool_run(&work, threads));
		CHECK(c.taken, ==, 300);
		CHECK(c.dropped, ==, 300);
	}
}

static int make_any(void *of, size_t i, void **item)
{
	(void)of, (void)i;
	*item = malloc(1);
	return 0;
}

TEST(nothing_is_taken_when_something_was_not_finished)
{
	for (unsigned int threads = 1; threads < 9; threads++) {
		struct count c = { .fails_at = 150 };
		struct ordered_work work = { 10000,  make_any, take_and_keep,
					     finish, free,     &c };

		CHECK(ordered_pool_run(&work, threads), ==, -EFBIG);
		CHECK(fail_reason(), ==, "unfinished");
		CHECK(threads > 1 || c.taken == 151);
		CHECK(c.dropped, ==, c.taken);
	}
}

/* Things come, go and fail at moments of their own. */
struct traffic {
	unsigned int seed;
	int alive, most;
	size_t make_fails, take_fails, finish_fails;
};

static void dawdle(const struct traffic *t, size_t i)
{
	unsigned int draw = (unsigned int)(i + 1) * (t->seed * 2 + 1);

	draw = (draw ^ draw >> 7) * 2654435761u;
	if (draw >> 30 == 0)
		usleep(draw >> 26 & 15);
}

static struct traffic *traffic;

static void depart(void *item)
{
	__atomic_fetch_sub(&traffic->alive, 1, __ATOMIC_RELAXED);
	free(item);
}

static int arrive(void *of, size_t i, void **item)
{
	struct traffic *t = of;
	int alive;

	dawdle(t, i);
	if (i == t->make_fails)
		return fail(-EIO, "made not");
	alive = __atomic_add_fetch(&t->alive, 1, __ATOMIC_RELAXED);
	for (int most = t->most; alive > most;)
		if (__atomic_compare_exchange_n(&t->most, &most, alive, false,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			break;
	*item = malloc(1);
	return 0;
}

static int pass(void *of, size_t i, void *item)
{
	const struct traffic *t = of;

	(void)item;
	dawdle(t, i + 1000);
	return i == t->take_fails ? fail(-ENOSPC, "taken not") : 0;
}

static int leave(void *of, size_t i, void *item)
{
	const struct traffic *t = of;

	(void)item;
	dawdle(t, i + 2000);
	return i == t->finish_fails ? fail(-EFBIG, "finished not") : 0;
}

TEST(work_ends_whatever_fails_and_is_never_far_ahead)
{
	for (unsigned int seed = 0; seed < 200; seed++) {
		const int fails = (int)(seed % 4);
		const size_t at = seed * 37 % 100;
		struct traffic t = {
			.seed = seed,
			.make_fails = fails == 1 ? at : 1000,
			.take_fails = fails == 2 ? at : 1000,
			.finish_fails = fails == 3 ? at : 1000,
		};
		struct ordered_work work = { 100,   arrive, pass,
					     leave, depart, &t };
		const int errors[] = { 0, -EIO, -ENOSPC, -EFBIG };

		traffic = &t;
		CHECK(ordered_pool_run(&work, 1 + seed % 7), ==, errors[fails]);
		CHECK(t.alive, ==, 0);
		CHECK(t.most, <=, 3 * (1 + (int)seed % 7));
	}
}

TEST(by_rank_a_rank_without_values_has_none)
{
	const struct run_value of_ranks[] = { { 1, 70 }, { 3, 90 } };
	uint64_t first[] = { 0, 0, 0, 2 };
	struct run_metric metric = { .merge = MERGE_SUM,
				     .first = first,
				     .values = (void *)of_ranks };
	struct run run = { .node_count = 3,
			   .rank_count = 4,
			   .metric_count = 1,
			   .metrics = &metric };
	struct run *to = transpose(&run, 0);
	struct value_buffer buffer = { 0 };
	const struct run_value *at;
	size_t count = 9;

	CHECK(to);
	for (uint32_t rank = 0; rank < 4; rank++) {
		CHECK(!values_of_node(to, 0, rank, &buffer, &at, &count));
		CHECK(count, ==, rank % 2);
		if (count)
			CHECK(at->rank == 2 &&
			      at->value == of_ranks[rank / 2].value);
	}
	value_buffer_fini(&buffer);
	run_free(to);
}
