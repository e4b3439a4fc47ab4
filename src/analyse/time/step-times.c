/* SPDX-License-Identifier: BSD-3-Clause */
/* step-times.c - see step-times.h. */
#include "analyse/time/step-times.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/outlier.h"
#include "base/err.h"

#define FAR_TIMES                                                              \
	1.5        /* of the usual time: an iteration that is worth a word     \
		    */
#define DRIFTS 0.1 /* of the first tenth: so much is worth a word */

enum {
	DRIFT_ROWS = 30 /* at least, or else a tenth says nothing */
};

/*
 * The value that `wanted` are smaller than, by Hoare's FIND (1961): jobs have
 * ten thousand ranks, and four thousand iterations.  The values change their
 * places: those before it are no larger.
 */
static double nth_seconds(double *values, size_t count, size_t nth)
{
	ptrdiff_t wanted = (ptrdiff_t)nth, low = 0;
	ptrdiff_t high = (ptrdiff_t)count - 1;

	while (low < high) {
		double at = values[wanted];
		ptrdiff_t i = low, j = high;

		while (i <= j) {
			while (values[i] < at)
				i++;
			while (values[j] > at)
				j--;
			if (i <= j) {
				double value = values[i];

				values[i++] = values[j];
				values[j--] = value;
			}
		}
		if (j < wanted)
			low = i;
		if (i > wanted)
			high = j;
	}
	return values[wanted];
}

double step_times_median(double *values, size_t count)
{
	double upper, lower = 0;

	if (!count)
		return 0;
	upper = nth_seconds(values, count, count / 2);
	if (count % 2)
		return upper;
	for (size_t i = 0; i < count / 2; i++)
		lower = fmax(lower, values[i]);
	return (lower + upper) / 2;
}

const struct run_iteration *step_times_row(const struct step_times *t,
					   size_t rank, size_t row)
{
	const struct run_iterations *i = &t->run->iterations;

	return &i->rows[i->ranks[rank].first + row];
}

static double seconds_of_row(const struct step_times *t, size_t rank,
			     size_t row)
{
	return step_times_row(t, rank, row)->us / 1e6 / t->at[row].each;
}

double step_times_own(const struct step_times *t, size_t rank, size_t row)
{
	const struct run_iteration *i = step_times_row(t, rank, row);
	uint32_t own = i->us > i->mpi_us ? i->us - i->mpi_us : 0;

	return own / 1e6 / t->at[row].each;
}

static void sum_row(struct step_times *t, size_t row, double *values)
{
	struct step_time *at = &t->at[row];
	size_t ranks = t->run->iterations.rank_count;

	at->least = INFINITY;
	for (size_t i = 0; i < ranks; i++) {
		double seconds = seconds_of_row(t, i, row);

		values[i] = seconds;
		at->mpi += step_times_row(t, i, row)->mpi_us / 1e6 / at->each /
			   (double)ranks;
		at->least = fmin(at->least, seconds);
		if (seconds > at->most) {
			at->most = seconds;
			at->slowest = (uint32_t)i;
		}
	}
	at->median = step_times_median(values, ranks);
	for (size_t i = 0; i < ranks; i++)
		values[i] = step_times_own(t, i, row);
	/* The lower one: of two ranks, that which is not late. */
	at->own = nth_seconds(values, ranks, (ranks - 1) / 2);
}

/* When each began, on the rank that is the first in the list. */
static void time_rows(struct step_times *t)
{
	double now = (double)t->run->iterations.ranks->begin_ns / 1e9;

	t->begin = now;
	for (size_t row = 0; row < t->count; row++) {
		t->at[row].begin = now;
		now += step_times_row(t, 0, row)->us / 1e6;
	}
	t->end = now;
}

static double median_of_rows(const struct step_times *t, size_t from, size_t to,
			     double *values)
{
	for (size_t row = from; row < to; row++)
		values[row - from] = t->at[row].median;
	return step_times_median(values, to - from);
}

static int mark_rows(struct step_times *t, double *values)
{
	size_t tenth = (t->count + 9) / 10;
	struct outliers rule;
	int err;

	for (size_t row = 0; row < t->count; row++)
		values[row] = t->at[row].median;
	err = outlier_rule(&rule, values, t->count, 0);
	t->usual = median_of_rows(t, 0, t->count, values);
	t->first = median_of_rows(t, 0, tenth, values);
	t->last = median_of_rows(t, t->count - tenth, t->count, values);
	t->drifts =
		t->count >= DRIFT_ROWS &&
		fabs(t->last - t->first) > DRIFTS * t->first &&
		fabs(t->last - t->first) > rule.within / sqrt((double)tenth);
	for (size_t row = 0; row < t->count && !err; row++)
		t->at[row].outlier = t->at[row].median > FAR_TIMES * t->usual &&
				     outlier_is(&rule, t->at[row].median) > 0;
	return err;
}

static size_t common_rows(const struct run_iterations *i)
{
	size_t count = i->rank_count ? i->ranks->count : 0;

	for (size_t r = 0; r < i->rank_count; r++)
		if (i->ranks[r].count < count)
			count = i->ranks[r].count;
	return count;
}

int step_times_init(struct step_times *t, const struct run *run)
{
	const struct run_iterations *i = &run->iterations;
	size_t room, count = common_rows(i);
	double *values;
	int err = 0;

	*t = (struct step_times){ .run = run };
	if (!i->step_count || !count)
		return 0;
	t->step = i->steps;
	t->count = count;
	room = (count > i->rank_count ? count : i->rank_count) + 1;
	t->at = calloc(count, sizeof(*t->at));
	values = calloc(room, sizeof(*values));
	if (!t->at || !values)
		err = no_memory();
	for (size_t row = 0; row < count && !err; row++) {
		t->at[row].number =
			run_iteration_number(t->step, row, &t->at[row].each);
		sum_row(t, row, values);
	}
	if (!err)
		err = mark_rows(t, values);
	if (!err)
		time_rows(t);
	free(values);
	return err;
}

void step_times_fini(struct step_times *t)
{
	free(t->at);
	*t = (struct step_times){ 0 };
}
