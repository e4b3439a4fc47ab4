/* SPDX-License-Identifier: BSD-3-Clause */
/* step-pattern.c - how many calls are in a step, and how regular steps are. */
#include "profile/step-pattern.h"

#include <math.h>
#include <stdlib.h>

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
	CHECK(step_calls(at, COUNT) == 1);
	CHECK(step_regular(at, COUNT, 1) > 0.99);
}

TEST(noise_makes_no_pattern)
{
	for (int i = 0; i < 200; i++) {
		repeat((double[]){ 1e7 }, 1, 4);
		CHECK(step_calls(at, COUNT) == 1);
		CHECK(step_calls(at, 50) == 1);
	}
}

TEST(intervals_in_turns_are_one_step)
{
	const double four[] = { 3e4, 5e4, 3e4, 1e7 };

	for (int i = 0; i < 50; i++) {
		repeat(four, 4, 2);
		CHECK(step_calls(at, COUNT) == 4);
		CHECK(step_calls(at, 63) == 4);
		CHECK(step_regular(at, COUNT, 4) > 0.5);
	}
}

/* A rank that takes twice as long in every tenth: these are ten steps. */
TEST(a_step_that_is_longer_now_and_then_is_one_step)
{
	double ten[] = { 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7, 2e7 };

	repeat(ten, 10, 1.05);
	CHECK(step_calls(at, COUNT) == 1);
	ten[9] = 3e7;
	repeat(ten, 10, 1.2);
	CHECK(step_calls(at, COUNT) == 1);
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
		CHECK(step_calls(at, COUNT) == 3);
	}
}

TEST(too_few_calls_tell_nothing)
{
	repeat((double[]){ 1e7 }, 1, 1);
	CHECK(step_calls(at, 0) == 1 && step_calls(at, 8) == 1);
	CHECK(step_regular(at, 0, 1) <= 0 && step_regular(at, 8, 1) <= 0);
}
