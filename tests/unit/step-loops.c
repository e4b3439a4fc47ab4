/* SPDX-License-Identifier: BSD-3-Clause */
/* step-loops.c - which calls are in one loop, and which loop is outside. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/steps/step-pattern.h"
#include "tests/lib/test.h"

enum {
	SITES = 24,
	CALLS = 4095
};

/*
 * A program: functions, and calls of MPI in them (sites), each of which takes
 * `now` on.
 */
static struct profile_node nodes[100];
static struct profile_stamp stamps[SITES * CALLS];
static struct profile_step steps[SITES];
static struct profile_stamp made[SITES][CALLS];
static uint32_t node_of[SITES], calls_of[SITES];
static uint32_t node_count, site_count;
static double now;
static struct profile program;
static unsigned short seed[3] = { 1, 2, 3 };

static double chance(void)
{
	return erand48(seed);
}

static void begin_program(void)
{
	node_count = 1;
	site_count = 0;
	now = 1e9;
	memset(calls_of, 0, sizeof(calls_of));
}

static uint32_t function(uint32_t caller)
{
	nodes[node_count] = (struct profile_node){ .parent = caller };
	return node_count++;
}

static uint32_t site(uint32_t caller)
{
	node_of[site_count] = function(caller);
	return site_count++;
}

/* After so long, off by up to that factor. */
static void call(uint32_t at, double ms, double factor)
{
	now += ms * 1e6 * pow(factor, 2 * chance() - 1);
	if (calls_of[at] < CALLS)
		made[at][calls_of[at]++] =
			(struct profile_stamp){ (uint64_t)now, 0 };
}

static void make_steps(void)
{
	program = (struct profile){ .nodes = nodes,
				    .node_count = node_count,
				    .thread_count = 1,
				    .steps = steps,
				    .step_count = site_count,
				    .stamps = stamps };
	for (uint32_t i = 0; i < site_count; i++) {
		steps[i] = (struct profile_step){
			.node = node_of[i],
			.calls = calls_of[i],
			.count = calls_of[i],
			.head = calls_of[i] < 575 ? calls_of[i] : 575,
			.stride = 1,
			.per = 1,
			.first = (uint32_t)program.stamp_count,
			.regular = step_regular(made[i], calls_of[i], 1),
		};
		memcpy(&stamps[program.stamp_count], made[i],
		       calls_of[i] * sizeof(*stamps));
		program.stamp_count += calls_of[i];
	}
}

static bool end_program(void)
{
	make_steps();
	return !step_loops(&program);
}

/*
 * As in an SCF: few rounds, of which some take ten times as long as others; in
 * each of them a loop over ten points, in which a solver goes on until it has
 * enough.
 */
TEST(few_irregular_rounds_are_found_by_order)
{
	int found = 0;

	for (int run = 0; run < 50; run++) {
		uint32_t scf, band, points[3], solve, sum, mix, test;

		begin_program();
		scf = function(0);
		band = function(scf);
		for (int i = 0; i < 3; i++)
			points[i] = site(band);
		solve = site(function(band));
		sum = site(function(scf));
		mix = site(function(scf));
		test = site(scf);
		for (int round = 0; round < 5; round++) {
			double length = pow(10, chance());

			for (int k = 0; k < 10; k++) {
				for (int i = 0; i < 3; i++)
					call(points[i], length, 2);
				for (int n = 1 + (int)(4 * chance()); n; n--)
					call(solve, length, 4);
			}
			call(sum, 20 * length, 2);
			call(mix, 5 * length, 2);
			call(test, length, 2);
		}
		CHECK(end_program());
		CHECK(steps[sum].ordered && steps[mix].ordered);
		CHECK(steps[sum].per, ==, 1);
		found += steps[sum].outer && steps[mix].outer &&
			 !steps[points[0]].outer && !steps[points[2]].outer &&
			 !steps[solve].outer;
	}
	/* Where rounds are alike, it could be output. */
	CHECK(found, >=, 45);
}

/* As LAMMPS on busy cores: each function sends `swaps` messages from one line.
 */
static uint32_t calls_in_step(uint32_t swaps, bool more)
{
	uint32_t run, forward, wait, reverse;

	begin_program();
	run = function(0);
	forward = function(run);
	wait = site(forward);
	forward = site(forward);
	reverse = site(function(run));
	for (int i = 0; i < 100; i++) {
		for (uint32_t k = 0; k < swaps + (more && i == 50); k++) {
			call(forward, 5, 10);
			call(wait, 5, 10);
		}
		for (uint32_t k = 0; k < swaps; k++)
			call(reverse, 5, 10);
	}
	return end_program() && steps[wait].per == steps[forward].per
		       ? steps[forward].per
		       : 0;
}

TEST(calls_of_one_turn_of_a_function_are_one_step)
{
	CHECK(calls_in_step(1, false), ==, 1);
	CHECK(calls_in_step(2, false), ==, 2);
	CHECK(steps[2].per, ==, 2);
	CHECK(calls_in_step(6, false), ==, 6);
	/* Not always as many; or so many that each may be a step. */
	CHECK(calls_in_step(2, true), ==, 1);
	CHECK(calls_in_step(20, false), ==, 1);
}

/* Each twentieth of them writes, which takes about as long as a step. */
TEST(output_is_no_step)
{
	for (int run = 0; run < 50; run++) {
		uint32_t scf, step, gather, wait, write;

		begin_program();
		scf = function(0);
		step = site(function(scf));
		gather = site(scf);
		wait = site(scf);
		write = site(scf);
		for (int i = 1; i <= 300; i++) {
			call(step, 5, 1.3);
			if (i % 20)
				continue;
			call(gather, 2, 2);
			call(wait, 1, 2);
			call(write, 2, 2);
		}
		CHECK(end_program());
		CHECK(steps[step].outer);
		CHECK(!steps[gather].outer && !steps[write].outer);
	}
}

/* As in molecular dynamics: in some steps there is more, and less. */
TEST(what_not_each_step_has_is_no_step)
{
	uint32_t run, forward, reverse, borders[3];

	begin_program();
	run = function(0);
	forward = site(function(run));
	reverse = site(function(run));
	for (int i = 0; i < 3; i++)
		borders[i] = site(function(run));
	for (int step = 1; step <= 1000; step++) {
		if (step % 20)
			call(forward, 2, 2);
		else
			for (int i = 0; i < 3; i++)
				call(borders[i], 10, 2);
		call(reverse, 2, 4);
	}
	CHECK(end_program());
	CHECK(steps[reverse].outer);
	CHECK(steps[reverse].calls, ==, 1000);
	for (int i = 0; i < 3; i++)
		CHECK(!steps[borders[i]].outer);
}

/* One of 48 parts each; half of the time is in them, and busy cores. */
TEST(parts_of_a_step_are_inside_of_it)
{
	for (int run = 0; run < 50; run++) {
		uint32_t main, part, step;

		begin_program();
		main = function(0);
		part = site(function(main));
		step = site(main);
		for (int i = 0; i < 80; i++) {
			for (int k = 0; k < 48; k++)
				call(part, 0.001, 2);
			call(step, chance() < 0.1 ? 10 : 0.05, 2);
		}
		CHECK(end_program());
		CHECK(steps[step].ordered && steps[step].outer);
		CHECK(!steps[part].outer);
	}
}

/*
 * As in hpcc: three messages in a step, from each of two lines; on busy cores
 * clocks once told six.
 */
TEST(a_pattern_that_leaves_calls_over_is_around_no_loop)
{
	uint32_t ring, first, there, back, last;

	begin_program();
	ring = function(0);
	first = site(ring);
	there = site(ring);
	back = site(ring);
	last = site(function(ring));
	for (int step = 0; step < 33; step++) {
		call(first, 1, 2);
		for (int i = 0; i < 3; i++) {
			call(there, 5, 2);
			call(back, 5, 2);
		}
		call(last, 1, 2);
	}
	make_steps();
	steps[there].per = 6;
	steps[there].regular = 1;
	CHECK(!step_loops(&program));
	CHECK(steps[first].ordered && steps[first].outer);
	CHECK(steps[last].ordered && steps[last].outer);
}

TEST(loops_one_after_another_are_all_outer)
{
	uint32_t first[3], second[3];

	begin_program();
	for (int i = 0; i < 3; i++) {
		first[i] = site(function(0));
		second[i] = site(function(0));
	}
	for (int k = 0; k < 50; k++)
		for (int i = 0; i < 3; i++)
			call(first[i], 2, 4);
	for (int k = 0; k < 7; k++)
		for (int i = 0; i < 3; i++)
			call(second[i], 10, 4);
	CHECK(end_program());
	for (int i = 0; i < 3; i++) {
		CHECK(steps[first[i]].ordered && steps[first[i]].outer);
		CHECK(steps[second[i]].ordered && steps[second[i]].outer);
	}
}

/* Functions of up to four calls of MPI, called at random, seldom or often. */
TEST(calls_at_random_have_no_order)
{
	int found = 0;

	for (int run = 0; run < 2000; run++) {
		uint32_t first[6], many[6], all = 0;
		int left = 10 + (int)(190 * chance());

		begin_program();
		for (int f = 0; f < 6; f++) {
			uint32_t node = function(0);

			first[f] = all;
			many[f] = 1 + (uint32_t)(4 * chance());
			all += many[f];
			for (uint32_t i = 0; i < many[f]; i++)
				site(node);
		}
		while (left--) {
			/* The last ones far more often than the first ones. */
			int f = (int)(6 * sqrt(chance()));

			for (uint32_t i = 0; i < many[f]; i++)
				call(first[f] + i, 1, 4);
		}
		CHECK(end_program());
		for (uint32_t i = 0; i < all; i++)
			if (steps[i].ordered) {
				found++;
				break;
			}
	}
	CHECK(found, <=, 20);
}

TEST(no_calls_are_no_loop)
{
	begin_program();
	CHECK(end_program());
	site(0);
	site(0);
	CHECK(end_program());
}
