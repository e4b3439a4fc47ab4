/* SPDX-License-Identifier: BSD-3-Clause */
/* step-times.c - see step-times.h. */
#include "analyse/step-times.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/outlier.h"
#include "analyse/value.h"
#include "base/err.h"

#define FAR_TIMES                                                              \
	1.5            /* of the usual time: an iteration that is worth a word \
			*/
#define OWN_TIMES 1.25 /* the same of one rank's own work */
#define DRIFTS    0.1  /* of the first tenth: so much is worth a word */
#define EVEN      0.8  /* of the gaps between late ones: it is a rhythm */

enum {
	LATE_LEAST = 3 /* times: or else it is chance */
};

/*
 * Hoare's FIND (1961): jobs have ten thousand ranks, and four thousand
 * iterations.  The values change their places.
 */
static double median_seconds(double *values, size_t count)
{
	ptrdiff_t wanted = (ptrdiff_t)(count / 2), low = 0;
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
	return count ? values[wanted] : 0;
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

/* Its own work: what it did outside MPI. */
static double own_seconds(const struct step_times *t, size_t rank, size_t row)
{
	const struct run_iteration *i = step_times_row(t, rank, row);
	uint32_t own = i->us > i->mpi_us ? i->us - i->mpi_us : 0;

	return own / 1e6 / t->at[row].each;
}

/* A call of MPI ends an iteration, a phase begins one. */
static void number_row(struct step_times *t, size_t row)
{
	const struct run_step *s = t->step;
	bool body = row >= s->head && s->each > 1;

	t->at[row].each = body ? s->each : 1;
	t->at[row].number = (s->marked ? 0 : 1) +
			    (body ? s->head + (row - s->head) * s->each : row);
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
	at->median = median_seconds(values, ranks);
	for (size_t i = 0; i < ranks; i++)
		values[i] = own_seconds(t, i, row);
	at->own = median_seconds(values, ranks);
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
	return median_seconds(values, to - from);
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
		t->count >= 10 * LATE_LEAST &&
		fabs(t->last - t->first) > DRIFTS * t->first &&
		fabs(t->last - t->first) > rule.within / sqrt((double)tenth);
	for (size_t row = 0; row < t->count && !err; row++)
		t->at[row].outlier = t->at[row].median > FAR_TIMES * t->usual &&
				     outlier_is(&rule, t->at[row].median) > 0;
	return err;
}

/* In that row its own work took longer than usual, and than others'. */
static bool is_late(const struct step_times *t, size_t rank, size_t row,
		    double usual)
{
	double own = own_seconds(t, rank, row);

	return own > OWN_TIMES * usual && own > OWN_TIMES * t->at[row].own;
}

/* The gap that most of the times are apart; 0: they come at random. */
static uint32_t rhythm(const uint32_t *rows, uint32_t times)
{
	uint32_t best = 0, same = 0;

	for (uint32_t i = 1; i < times; i++) {
		uint32_t gap = rows[i] - rows[i - 1], count = 0;

		for (uint32_t k = 1; k < times; k++)
			count += rows[k] - rows[k - 1] == gap;
		if (count > same) {
			same = count;
			best = gap;
		}
	}
	return times > 2 && same >= EVEN * (times - 1) ? best : 0;
}

static struct step_late look_at_rank(const struct step_times *t, size_t rank,
				     double *values, uint32_t *rows)
{
	struct step_late late = { .rank = t->run->iterations.ranks[rank].rank };
	double usual;

	for (size_t row = 0; row < t->count; row++)
		values[row] = own_seconds(t, rank, row);
	usual = median_seconds(values, t->count);
	for (size_t row = 0; row < t->count; row++) {
		if (t->at[row].outlier || !is_late(t, rank, row, usual))
			continue;
		rows[late.times++] = (uint32_t)t->at[row].number;
		late.seconds +=
			(own_seconds(t, rank, row) - usual) * t->at[row].each;
	}
	late.period = rhythm(rows, late.times);
	return late;
}

/* Much more of it on one rank than on the next: else it is anybody's noise. */
static void find_late_rank(struct step_times *t, double *values, uint32_t *rows)
{
	struct step_late second = { 0 };

	for (size_t i = 0; i < t->run->iterations.rank_count; i++) {
		struct step_late late = look_at_rank(t, i, values, rows);

		if (late.seconds > t->late.seconds) {
			second = t->late;
			t->late = late;
		} else if (late.seconds > second.seconds) {
			second = late;
		}
	}
	if (t->late.times < LATE_LEAST || t->late.times > t->count / 2 ||
	    t->late.seconds < 2 * second.seconds)
		t->late = (struct step_late){ 0 };
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
	uint32_t *rows;
	int err = 0;

	*t = (struct step_times){ .run = run };
	if (!i->step_count || !count)
		return 0;
	t->step = i->steps;
	t->count = count;
	room = (count > i->rank_count ? count : i->rank_count) + 1;
	t->at = calloc(count, sizeof(*t->at));
	values = calloc(room, sizeof(*values));
	rows = calloc(room, sizeof(*rows));
	if (!t->at || !values || !rows)
		err = no_memory();
	for (size_t row = 0; row < count && !err; row++) {
		number_row(t, row);
		sum_row(t, row, values);
	}
	if (!err)
		err = mark_rows(t, values);
	if (!err) {
		time_rows(t);
		find_late_rank(t, values, rows);
	}
	free(values);
	free(rows);
	return err;
}

void step_times_fini(struct step_times *t)
{
	free(t->at);
	*t = (struct step_times){ 0 };
}

/*
 * Where the time of a row went, by the cells of the timeline.
 */

/* Add the time of cells between two moments, by path, callees apart. */
static void add_cells(const struct step_times *t, const struct paths *paths,
		      double from, double to, double scale, double *sums)
{
	const struct run_timeline *line = &t->run->timeline;
	double width = (double)line->axes->width_ns / 1e9;

	for (size_t i = 0; i < line->row_count; i++) {
		const struct run_time_row *row = &line->rows[i];

		if (row->kind != RUN_TIME_THREAD)
			continue;
		for (uint32_t c = 0; c < row->cells; c++) {
			double begin = (row->first_bin + c) * width;
			double part =
				fmin(to, begin + width) - fmax(from, begin);
			const struct run_time_cell *cell =
				&line->cells[row->first + c];

			if (part > 0)
				sums[paths->of[cell->node]] += scale * part *
							       cell->share /
							       RUN_TIME_WHOLE;
		}
	}
}

uint32_t step_times_path(const struct step_times *t, const struct paths *paths,
			 size_t row)
{
	double *sums, length, most = 0;
	uint32_t best = 0;

	if (!t->run->timeline.axis_count || t->end <= t->begin)
		return 0;
	sums = calloc(paths->count + 1, sizeof(*sums));
	if (!sums)
		return 0;
	length = t->at[row].median * t->at[row].each;
	add_cells(t, paths, t->at[row].begin, t->at[row].begin + length, 1,
		  sums);
	/* Less what such an iteration has elsewhere. */
	add_cells(t, paths, t->begin, t->end,
		  -t->usual * t->at[row].each / (t->end - t->begin), sums);
	for (uint32_t i = (uint32_t)paths->count; i-- > 1;)
		sums[paths->at[i].parent] += sums[i];
	for (uint32_t i = 1; i < paths->count; i++)
		most = fmax(most, sums[i]);
	/* Paths stand depth first: the last one with most of it is deepest. */
	for (uint32_t i = 1; i < paths->count; i++)
		if (most > 0 && sums[i] >= most / 2 &&
		    (!best || i < paths->at[best].end))
			best = i;
	free(sums);
	return best;
}
