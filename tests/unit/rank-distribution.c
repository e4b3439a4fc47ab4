/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-distribution.c - shapes that were drawn are found again, under noise
 * too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/outlier.h"
#include "analyse/ranks/rank-distribution.h"
#include "tests/lib/test.h"

enum {
	MOST = 1024
};

/* Ranks in blocks of `per_host` on hosts a, b, …; 0: all on one. */
static struct run *ranks(size_t count, size_t per_host)
{
	struct run *run = calloc(1, sizeof(*run));
	char host[] = "node-a";

	run->world = (uint32_t)count;
	run->rank_count = run->member_count = count;
	run->ranks = calloc(count, sizeof(*run->ranks));
	for (size_t i = 0; i < count; i++) {
		host[5] = (char)('a' + (per_host ? i / per_host : 0));
		run->ranks[i].rank = (int32_t)i;
		run->ranks[i].host = str_add(&run->strings, host);
	}
	return run;
}

static struct shape classify(const double *values, size_t count,
			     size_t per_host, const char *text)
{
	struct run *run = ranks(count, per_host);
	uint32_t processes[MOST];
	struct shapes shapes;
	struct shape shape;
	char *is;

	for (uint32_t i = 0; i < count; i++)
		processes[i] = i;
	CHECK(!distributions_init(&shapes, run, processes, count, 0));
	CHECK(!distribution_of(&shape, &shapes, values));
	is = distribution_text(&shape, &shapes, values);
	if (!is || strcmp(is, text) != 0)
		test_fail(__FILE__, __LINE__, is ? is : "no text");
	free(is);
	distributions_fini(&shapes);
	return shape;
}

/* 2 % to either side, always the same. */
static double noise(size_t i)
{
	return 0.02 * sin(12.9898 * (double)i * (double)i);
}

/* `of` gives each rank's value. */
static void expect(size_t count, size_t per_host, const char *text,
		   double (*of)(size_t i, size_t count))
{
	double values[MOST];

	for (size_t i = 0; i < count; i++)
		values[i] = of(i, count) + noise(i);
	classify(values, count, per_host, text);
}

static double same(size_t i, size_t count)
{
	(void)i;
	(void)count;
	return 1;
}

static double last_more(size_t i, size_t count)
{
	return i + 1 == count ? 2 : 1;
}

static double third_less(size_t i, size_t count)
{
	(void)count;
	return i == 2 ? 0.3 : 1;
}

static double rising(size_t i, size_t count)
{
	return 1 + (double)i / (double)count;
}

static double falling(size_t i, size_t count)
{
	return 2 - rising(i, count);
}

static double odd_more(size_t i, size_t count)
{
	(void)count;
	return 1 + 0.5 * (double)(i % 2);
}

static double every_fourth(size_t i, size_t count)
{
	(void)count;
	return i % 4 == 1 ? 2 : 1;
}

static double second_host(size_t i, size_t count)
{
	(void)count;
	return i / 4 == 1 ? 1.7 : 1;
}

static double third_host_less(size_t i, size_t count)
{
	(void)count;
	return i / 4 == 2 ? 0.4 : 1;
}

/* A small part of the variance of a thousand. */
static double one_of_many(size_t i, size_t count)
{
	(void)count;
	return i == 77 ? 1.3 : 1;
}

static double first_half(size_t i, size_t count)
{
	return i < count / 2 ? 2 : 1;
}

static double two_ranks(size_t i, size_t count)
{
	(void)count;
	return i == 3 || i == 17 ? 3 : 1;
}

static double anything(size_t i, size_t count)
{
	uint32_t x = (uint32_t)i + 1;

	(void)count;
	for (int k = 0; k < 5; k++) {
		x = x * 2654435761u;
		x ^= x >> 15;
	}
	return 1 + (double)(x >> 8) / (1 << 24);
}

TEST(shapes_are_found)
{
	expect(16, 0, "even", same);
	expect(16, 0, "one rank: 15", last_more);
	expect(16, 0, "one rank less: 2", third_less);
	expect(16, 0, "linear, rising", rising);
	expect(16, 0, "linear, falling", falling);
	expect(16, 0, "alternating: odd", odd_more);
	expect(16, 0, "every 4: 1, 5, …", every_fourth);
	expect(16, 4, "host: node-b", second_host);
	expect(16, 4, "host less: node-c", third_host_less);
	expect(16, 4, "linear, rising", rising);
	expect(16, 0, "block: 0–7", first_half);
	expect(1000, 250, "one rank: 77", one_of_many);
	expect(32, 0, "few: 3, 17", two_ranks);
	expect(32, 0, "irregular", anything);
}

TEST(shapes_of_few_ranks)
{
	classify((double[]){ 1, 2 }, 2, 0, "");
	classify((double[]){ 1, 1, 3 }, 3, 0, "one rank: 2");
	classify((double[]){ 1, 2, 3 }, 3, 0, "linear, rising");
	classify((double[]){ 1, 2, 3, 4 }, 4, 0, "linear, rising");
	classify((double[]){ 1, 2, 1, 2 }, 4, 0, "alternating: odd");
	classify((double[]){ 1, 1, 2, 2 }, 4, 2, "host: node-b");
	classify((double[]){ 1, 3, 1, 1 }, 4, 1, "one rank: 1");
	classify((double[]){ 0, 0, 0, 0 }, 4, 0, "even");
}

TEST(hosts_explain_better_than_the_order)
{
	/* Rising by host, level inside: not linear. */
	const double values[] = {
		1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4
	};
	struct shape shape = classify(values, 16, 4, "host: node-d");

	CHECK(shape.explained, >, 0.999);
	classify(values, 16, 0, "linear, rising");
}

TEST(differences_that_do_not_matter_have_no_shape)
{
	struct run *run = ranks(4, 0);
	const uint32_t processes[] = { 0, 1, 2, 3 };
	const double values[] = { 1, 1, 1, 3 };
	struct shapes shapes;
	struct shape shape;

	CHECK(!distributions_init(&shapes, run, processes, 4, 2));
	CHECK(!distribution_of(&shape, &shapes, values));
	CHECK(shape.kind, ==, SHAPE_EVEN);
	/* Without ranks an order means nothing. */
	shapes.least = 0;
	run->world = 0;
	CHECK(!distribution_of(&shape, &shapes, (double[]){ 1, 2, 3, 4 }));
	CHECK(shape.kind, ==, SHAPE_IRREGULAR);
	distributions_fini(&shapes);
}

TEST(outliers_do_not_bend_the_rule)
{
	/* Median 10, median deviation 1: up to 3.5 * 1.4826 away. */
	const double values[] = { 9, 10, 11, 9, 10, 11, 9, 11, 10, 1000, 4 };
	struct outliers rule;

	CHECK(!outlier_rule(&rule, values, 11, 0));
	CHECK(fabs(rule.median - 10), <, 1e-9);
	CHECK(fabs(rule.within - 3.5 * 1.4826), <, 1e-9);
	CHECK(rule.count, ==, 2);
	CHECK(outlier_is(&rule, 1000), ==, 1);
	CHECK(outlier_is(&rule, 4), ==, -1);
	CHECK(outlier_is(&rule, 15), ==, 0);
	/* Equal but for one: what does not matter is none all the same. */
	CHECK(!outlier_rule(&rule, (double[]){ 1, 1, 1, 1.01 }, 4, 0.02));
	CHECK(rule.count, ==, 0);
	CHECK(!outlier_rule(&rule, (double[]){ 1, 1, 1, 1.01 }, 4, 0.005));
	CHECK(rule.count, ==, 1);
	CHECK(!outlier_rule(&rule, (double[]){ 1, 5 }, 2, 0));
	CHECK(rule.count, ==, 0);
}
