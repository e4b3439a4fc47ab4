/* SPDX-License-Identifier: BSD-3-Clause */
/* step-pattern.c - how many calls are in a step, and how regular steps are. */
#include "profile/steps/step-pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/test.h"

#define COUNT 400

static struct profile_stamp at[COUNT];
static unsigned short seed[3] = { 1, 2, 3 };

/* Intervals of these lengths in turns, each off by up to that factor. */
static void repeat(const double *lengths, size_t count, double factor)
{
	double now = 1e9;

	for (size_t i = 0; i < COUNT; i++) {
		at[i].ns = (uint64_t)now;
		now += lengths[i % count] * pow(factor, 2 * erand48(seed) - 1);
	}
}

TEST(a_call_that_comes_evenly_is_a_step)
{
	repeat((double[]){ 1e7 }, 1, 1.2);
	CHECK(step_calls(at, COUNT), ==, 1);
	CHECK(step_regular(at, COUNT, 1), >, 0.99);
}

TEST(noise_makes_no_pattern)
{
	for (int i = 0; i < 200; i++) {
		repeat((double[]){ 1e7 }, 1, 4);
		CHECK(step_calls(at, COUNT), ==, 1);
		CHECK(step_calls(at, 50), ==, 1);
	}
}

TEST(intervals_in_turns_are_one_step)
{
	const double four[] = { 3e4, 5e4, 3e4, 1e7 };

	for (int i = 0; i < 50; i++) {
		repeat(four, 4, 2);
		CHECK(step_calls(at, COUNT), ==, 4);
		CHECK(step_calls(at, 63), ==, 4);
		CHECK(step_regular(at, COUNT, 4), >, 0.5);
	}
}

/* Sums of each of 24 moments, or of three sizes of 16 lenses. */
TEST(many_calls_in_turns_are_one_step)
{
	double many[48] = { 1e7 };

	for (int i = 1; i < 48; i++)
		many[i] = 4e4;
	for (int i = 0; i < 50; i++) {
		repeat(many, 24, 2);
		CHECK(step_calls(at, COUNT), ==, 24);
		repeat(many, 48, 2);
		CHECK(step_calls(at, COUNT), ==, 48);
	}
}

/* Each second time the others wait for this rank, else it waits for them. */
TEST(ranks_that_are_late_in_turns_make_no_pattern)
{
	uint64_t mpi_ns = 0;

	repeat((double[]){ 1e6, 4.1e7 }, 2, 1.1);
	for (size_t i = 0; i < COUNT; i++) {
		at[i].mpi_ns = mpi_ns;
		mpi_ns += i % 2 ? 20000000 : 10000;
	}
	CHECK(step_calls(at, COUNT), ==, 1);
	CHECK(step_regular(at, COUNT, 1), >, 0.99);
	for (size_t i = 0; i < COUNT; i++)
		at[i].mpi_ns = 0;
	CHECK(step_calls(at, COUNT), ==, 2);
}

/* All that come in one step, which are too many to see that it repeats. */
TEST(bursts_are_not_regular)
{
	double burst[200] = { 1e8 };

	for (int i = 1; i < 200; i++)
		burst[i] = 500;
	repeat(burst, 200, 1.1);
	CHECK(step_regular(at, COUNT, 1), <=, 0);
}

/* A rank that takes twice as long in every tenth: these are ten steps. */
TEST(a_step_that_is_longer_now_and_then_is_one_step)
{
	double ten[] = { 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 2e7 };

	repeat(ten, 10, 1.05);
	CHECK(step_calls(at, COUNT), ==, 1);
	ten[9] = 7e7;
	repeat(ten, 10, 1.2);
	CHECK(step_calls(at, COUNT), ==, 1);
}

/* As on a machine that is too busy: one of ten is ten times as long. */
TEST(interruptions_hide_no_pattern)
{
	for (int i = 0; i < 50; i++) {
		uint64_t late = 0;

		repeat((double[]){ 3e4, 5e4, 1e7 }, 3, 1.3);
		for (size_t k = 0; k < COUNT; k++) {
			late += erand48(seed) < 0.1 ? 100000000 : 0;
			at[k].ns += late;
		}
		CHECK(step_calls(at, COUNT), ==, 3);
	}
}

TEST(too_few_calls_tell_nothing)
{
	repeat((double[]){ 1e7 }, 1, 1);
	CHECK(step_calls(at, 0), ==, 1);
	CHECK(step_calls(at, 8), ==, 1);
	CHECK(step_regular(at, 0, 1), <=, 0);
	CHECK(step_regular(at, 8, 1), <=, 0);
}

TEST(stamps_are_rounded_to_a_thousandth_of_a_step)
{
	struct profile_stamp exact[COUNT];

	repeat((double[]){ 1e7, 5e6 }, 2, 1.2);
	memcpy(exact, at, sizeof(exact));
	steps_round(at, COUNT, COUNT / 2);
	for (int i = 0; i < COUNT; i++) {
		CHECK(at[i].ns, <=, exact[i].ns);
		CHECK(exact[i].ns - at[i].ns, <, 15e6 / 1024);
		CHECK(at[i].ns % 8192, ==, 0);
	}
	/* Of none, and of steps that are no longer than that. */
	steps_round(at, 0, 0);
	steps_round(exact, COUNT, UINT64_MAX);
	CHECK(exact[COUNT - 1].ns % 8192);
}

/* Of so many calls, the stamps that are kept, as live/layout.h has it. */
static size_t keep(struct profile_step *step, struct profile_stamp *to,
		   const struct profile_stamp *all, uint32_t calls)
{
	*step = (struct profile_step){ .calls = calls,
				       .head = 575,
				       .stride = 1 };
	while (step->head + (calls - step->head) / step->stride > LIVE_STAMPS)
		step->stride *= 2;
	for (uint32_t i = 0; i < calls; i += i < step->head ? 1 : step->stride)
		to[step->count++] = all[i];
	return step->count;
}

/* 150 rounds, each of 1500 messages and a pause as long as all of them. */
TEST(rounds_of_many_calls_are_steps)
{
	static struct profile_stamp all[225000], kept[LIVE_STAMPS + 1];
	struct profile_step step;
	double now = 1e9;

	for (uint32_t i = 0; i < 225000; i++) {
		now += i % 1500 ? 1e3 * (0.5 + erand48(seed)) : 1.5e6;
		now += erand48(seed) < 0.001 ? 1e6 : 0;
		all[i].ns = (uint64_t)now;
	}
	keep(&step, kept, all, 225000);
	CHECK(step.stride, ==, 64);
	CHECK(step_rounds(&step, kept), ==, 1500);
}
