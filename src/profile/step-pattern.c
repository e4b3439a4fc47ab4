/* SPDX-License-Identifier: BSD-3-Clause */
/* step-pattern.c - see step-pattern.h. */
#include "profile/step-pattern.h"

#include <math.h>
#include <stdlib.h>

#include "base/comparison.h"

#define EXPLAINS 0.3 /* of the variance, at least: it is no pattern else */
#define BETTER   0.1 /* explains so much more, or else the fewer calls */
#define LONGER   4   /* an interval, of the shortest one */

enum {
	LEAST_STEPS = 8,
	MOST_CALLS = 16 /* in a step */
};

static double log_interval(const struct profile_stamp *at)
{
	return log((double)(at[1].ns - at->ns) + 1000);
}

/*
 * The sum of squared differences, of each `per`-th interval from their mean,
 * and the least of them.
 */
static double left_at(const struct profile_stamp *at, size_t count, size_t from,
		      uint32_t per, double *least)
{
	double n = 0, sum = 0, squares = 0;

	*least = INFINITY;
	for (size_t i = from; i + 1 < count; i += per) {
		double x = log_interval(&at[i]);

		n++;
		sum += x;
		squares += x * x;
		*least = fmin(*least, x);
	}
	return n > 0 ? squares - sum * sum / n : 0;
}

/*
 * How much which of `per` it is explains.  Nothing where the intervals are
 * nearly alike: a rank that is slow in each tenth step makes no step of ten.
 */
static double explained_by(const struct profile_stamp *at, size_t count,
			   uint32_t per)
{
	double n = (double)count - 1, left = 0, all, least;
	double shortest = INFINITY, longest = -INFINITY;

	all = left_at(at, count, 0, 1, &least);
	for (uint32_t i = 0; i < per; i++) {
		left += left_at(at, count, i, per, &least);
		shortest = fmin(shortest, least);
		longest = fmax(longest, least);
	}
	/* Others on the cores make them longer: the least are compared. */
	if (all <= 0 || longest - shortest < log(LONGER))
		return 0;
	/* More calls always explain more: that is taken off. */
	return 1 - left / (n - per) / (all / (n - 1));
}

uint32_t step_calls(const struct profile_stamp *at, size_t count)
{
	double best = EXPLAINS - BETTER;
	uint32_t calls = 1;

	for (uint32_t per = 2;
	     per <= MOST_CALLS && count > (size_t)LEAST_STEPS * per; per++) {
		double explained = explained_by(at, count, per);

		if (explained <= best + BETTER)
			continue;
		best = explained;
		calls = per;
	}
	return calls;
}

static int by_length(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return ORDER(*a, *b);
}

double step_regular(const struct profile_stamp *at, size_t count, uint32_t per)
{
	size_t steps = count ? (count - 1) / per : 0, usual = 0;
	uint64_t *lengths, median;

	if (steps < LEAST_STEPS)
		return 0;
	lengths = calloc(steps, sizeof(*lengths));
	if (!lengths)
		return -1;
	for (size_t i = 0; i < steps; i++)
		lengths[i] = at[(i + 1) * per].ns - at[i * per].ns;
	qsort(lengths, steps, sizeof(*lengths), by_length);
	median = lengths[steps / 2];
	for (size_t i = 0; i < steps; i++)
		usual += lengths[i] >= median / 2 && lengths[i] / 2 <= median;
	free(lengths);
	return (double)usual / (double)steps;
}
