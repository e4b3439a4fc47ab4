/* SPDX-License-Identifier: BSD-3-Clause */
/* step-pattern.c - see step-pattern.h. */
#include "profile/steps/step-pattern.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/comparison.h"

#define EXPLAINS 0.3 /* of the variance, at least, for a pattern */
#define BETTER   0.1 /* explains that much more: more calls are taken */
#define LONGER   4   /* times the shortest one: a pause between groups */
#define PAUSES   0.5 /* of the time of a group */

#define LONGEST          64   /* times the median; and 4 and 16 */
#define CERTAIN          24   /* bits */
#define PAUSES_OF_ROUNDS 0.4  /* of the time, … */
#define PAUSES_OF_SHORT  0.03 /* … if calls are too close to be steps */
#define SHORT            1e-4 /* seconds from one call to the next */

#define COVERS 0.05 /* of the time in usual steps; less: bursts */

enum {
	LEAST_STEPS = 8,
	MOST_CALLS = 64, /* in a step */
	MOST_INTERVALS = 1024,
	PARTS = 1024 /* of a step, at least, are distinguished */
};

ORDER_BY(by_length, double, ORDER(*a, *b))

struct intervals { /* their logarithms */
	double at[MOST_INTERVALS];
	size_t count;
};

/*
 * The end of a call, if all time in MPI until the next one is its own.  A call
 * in which all wait ends at the same time on all ranks.  Its begin varies where
 * ranks are late in turns.
 */
static uint64_t end_of_call(const struct profile_stamp *at)
{
	return at->ns + (at[1].mpi_ns - at->mpi_ns);
}

static double seconds_between(const struct profile_stamp *at, size_t from,
			      size_t to)
{
	return ((double)end_of_call(&at[to]) - (double)end_of_call(&at[from])) /
	       1e9;
}

static void take_intervals(struct intervals *to, const struct profile_stamp *at,
			   size_t count)
{
	to->count = 0;
	for (size_t i = 0; i + 2 < count && i < MOST_INTERVALS; i++)
		to->at[to->count++] =
			log(fmax(0, seconds_between(at, i, i + 1)) + 1e-6);
}

/*
 * The sum of squared differences of every `per`-th interval from their mean,
 * and the least interval.
 */
static double squares_of_every(const struct intervals *of, size_t from,
			       uint32_t per, double *least)
{
	double n = 0, sum = 0, squares = 0;

	*least = INFINITY;
	for (size_t i = from; i < of->count; i += per) {
		double x = of->at[i];

		n++;
		sum += x;
		squares += x * x;
		*least = fmin(*least, x);
	}
	return n > 0 ? squares - sum * sum / n : 0;
}

/*
 * Are the calls close together, with most of the time between such groups?
 */
static bool is_group_of_calls(const double *lengths, uint32_t per)
{
	double shortest = INFINITY, sum = 0, pauses = 0;

	for (uint32_t i = 0; i < per; i++)
		shortest = fmin(shortest, lengths[i]);
	for (uint32_t i = 0; i < per; i++) {
		sum += lengths[i];
		if (lengths[i] >= LONGER * shortest)
			pauses += lengths[i];
	}
	return pauses >= PAUSES * sum;
}

/* The variance that the position among `per` explains; 0: no group. */
static double variance_explained(const struct intervals *of, uint32_t per)
{
	double n = (double)of->count, left = 0, all, least;
	double lengths[MOST_CALLS];

	all = squares_of_every(of, 0, 1, &least);
	for (uint32_t i = 0; i < per; i++) {
		left += squares_of_every(of, i, per, &least);
		/* Others on the cores make intervals longer: take the least. */
		lengths[i] = exp(least);
	}
	if (all <= 0 || !is_group_of_calls(lengths, per))
		return 0;
	/* More calls always explain more: corrected for that. */
	return 1 - left / (n - per) / (all / (n - 1));
}

uint32_t step_calls(const struct profile_stamp *at, size_t count)
{
	double best = EXPLAINS - BETTER;
	struct intervals of;
	uint32_t calls = 1;

	take_intervals(&of, at, count);
	for (uint32_t per = 2;
	     per <= MOST_CALLS && of.count >= (size_t)LEAST_STEPS * per;
	     per++) {
		double explained = variance_explained(&of, per);

		if (explained <= best + BETTER)
			continue;
		best = explained;
		calls = per;
	}
	return calls;
}

/*
 * Rounds of many calls each, found in all stamps, not only the first ones.
 */

struct gaps { /* between stamps of every `stride`-th call */
	uint32_t first, stride;
	size_t count;
	double *at, *sorted; /* seconds */
};

/* The number of the call that a gap begins with. */
static uint64_t call_of_gap(const struct gaps *g, size_t gap)
{
	return g->first + (uint64_t)gap * g->stride;
}

/* Does a round of `per` calls begin after that gap? */
static bool is_border(const struct gaps *g, size_t gap, uint64_t per)
{
	return call_of_gap(g, gap + 1) / per > call_of_gap(g, gap) / per;
}

static double median_of_gaps(const struct gaps *g, uint64_t per, bool border)
{
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++)
		if (!per || is_border(g, i, per) == border)
			g->sorted[n++] = g->at[i];
	qsort(g->sorted, n, sizeof(*g->sorted), by_length);
	return n ? g->sorted[n / 2] : 0;
}

/* Bits to code which `k` of `count` gaps are long. */
static double bits_of_long(double k, double count)
{
	double p = count > 0 ? k / count : 0;

	return p > 0 && p < 1 ? -count * (p * log2(p) + (1 - p) * log2(1 - p))
			      : 0;
}

/*
 * How many of these bits the borders of rounds save; 0: most borders are not
 * long.
 */
static double bits_saved_by_round(const struct gaps *g, uint64_t per,
				  double least)
{
	double borders = 0, at_borders = 0, all = 0;
	double count = (double)g->count;

	for (size_t i = 0; i < g->count; i++) {
		bool is = is_border(g, i, per), is_long = g->at[i] > least;

		borders += is;
		at_borders += is && is_long;
		all += is_long;
	}
	if (borders < LEAST_STEPS - 1 || 2 * borders > count ||
	    2 * at_borders < borders)
		return 0;
	return bits_of_long(all, count) - bits_of_long(at_borders, borders) -
	       bits_of_long(all - at_borders, count - borders);
}

static bool has_pauses(const struct gaps *g, uint64_t per)
{
	double pause = median_of_gaps(g, per, true), borders = 0, sum;
	double usual = median_of_gaps(g, per, false);

	for (size_t i = 0; i < g->count; i++)
		borders += is_border(g, i, per);
	sum = borders * pause + ((double)g->count - borders) * usual;
	return borders * (pause - usual) >= sum * (usual < SHORT * g->stride
							   ? PAUSES_OF_SHORT
							   : PAUSES_OF_ROUNDS);
}

/* The length of round that explains most of the long gaps; 1: none. */
static uint32_t find_round(const struct gaps *g, uint64_t calls)
{
	double median = median_of_gaps(g, 0, true), best = CERTAIN;
	uint64_t round = 1;

	for (uint64_t per = 2; per * LEAST_STEPS <= calls; per++)
		for (int k = LONGER; calls % per == 0 && k <= LONGEST;
		     k *= LONGER) {
			double known = bits_saved_by_round(g, per, k * median);

			if (known <= best)
				continue;
			best = known;
			round = per;
		}
	return round > 1 && round < UINT32_MAX && has_pauses(g, round)
		       ? (uint32_t)round
		       : 1;
}

uint32_t step_rounds(const struct profile_step *step,
		     const struct profile_stamp *at)
{
	uint32_t head = step->stride > 1 ? step->head : step->count, per = 1;
	struct gaps g = { .at = calloc(2 * (size_t)step->count + 1,
				       sizeof(*g.at)) };

	if (!g.at)
		return 0;
	g.sorted = g.at + step->count;
	for (uint32_t i = 0; i + 2 < step->count; i++)
		g.at[g.count++] = seconds_between(at, i, i + 1);
	for (int part = 0; part < 2 && per == 1; part++) {
		struct gaps of = g;

		of.first = part ? head : 0;
		of.stride = part ? step->stride : 1;
		of.at += of.first;
		of.count = part             ? g.count - of.first
			   : g.count < head ? g.count
					    : head - 1;
		if (of.first < g.count)
			per = find_round(&of, step->calls);
	}
	free(g.at);
	return per;
}

/* Lengths are sorted. */
static double share_of_usual_lengths(const double *lengths, size_t steps)
{
	double median = lengths[steps / 2], usual = 0, covered = 0, all = 0;

	for (size_t i = 0; i < steps; i++) {
		bool is_usual =
			lengths[i] >= median / 2 && lengths[i] <= median * 2;

		usual += is_usual;
		covered += is_usual ? lengths[i] : 0;
		all += i + 1 < steps ? lengths[i] : 0;
	}
	return covered >= COVERS * all ? usual / (double)steps : 0;
}

double step_regular(const struct profile_stamp *at, size_t count, uint32_t per)
{
	size_t steps = count > 1 ? (count - 2) / per : 0;
	double *lengths, regular;

	if (steps + 1 < LEAST_STEPS)
		return 0;
	lengths = calloc(steps, sizeof(*lengths));
	if (!lengths)
		return -1;
	for (size_t i = 0; i < steps; i++)
		lengths[i] = seconds_between(at, i * per, (i + 1) * per);
	qsort(lengths, steps, sizeof(*lengths), by_length);
	regular = share_of_usual_lengths(lengths, steps);
	free(lengths);
	return regular;
}

void steps_round(struct profile_stamp *at, size_t count, uint64_t steps)
{
	uint64_t each = steps && count
				? (at[count - 1].ns - at->ns) / steps / PARTS
				: 0;
	uint64_t unit = 1;

	while (2 * unit <= each)
		unit *= 2;
	for (size_t i = 0; i < count; i++) {
		at[i].ns &= -unit;
		at[i].mpi_ns &= -unit;
	}
}
