/* SPDX-License-Identifier: BSD-3-Clause */
/* step-findings.c - iterations that stand out, and whether that is chance. */
#include "analyse/time/step-findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

#define LATE   1.25 /* of its usual own work, and of others' */
#define MOST   0.5  /* of an excess: it is the reason */
#define GROWS  0.1  /* of what waits grow by, that work does */
#define DRIFTS 0.1  /* of the first tenth: so much is worth a word */
#define CHANCE 0.01 /* of a rhythm */
#define TURNS  0.4  /* of a rhythm, in which it is late */
#define SURE   4    /* standard deviations */

enum {
	LATE_LEAST = 3,      /* times: or else it is chance */
	LONGEST_RHYTHM = 64, /* iterations */
	TURNS_LEAST = 5,     /* of a rhythm */
	LOOKED_AT = 256      /* outliers, and rows of a late rank */
};

struct step_search {
	struct step_times *t;
	struct step_cells cells;
	struct step_findings *to;
	double own; /* seconds: the usual of the usual own work */
	double *values, *begins;
	uint32_t *rows, *turns;
};

/*
 * Evidence.
 */

static uint32_t member_of_line(const struct step_search *s, uint32_t rank)
{
	return rank == STEP_ALL ? STEP_ALL
				: s->t->run->iterations.ranks[rank].rank;
}

/* What it waited for a core; of all ranks the most. */
static double waited_for_core(const struct step_search *s, uint32_t rank)
{
	const struct run *run = s->t->run;
	double most = 0;

	for (uint32_t i = 0; i < run->member_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (rank != STEP_ALL && member_of_line(s, rank) != i)
			continue;
		if (!r->cores.count)
			return INFINITY;
		most = fmax(most, (double)r->cores.waited_ns / 1e9);
	}
	return most;
}

static double length_of_row(const struct step_time *at)
{
	return at->median * at->each;
}

/* When the rows of a rank began; all: as on the first. */
static const double *find_row_begins(const struct step_search *s, uint32_t rank)
{
	size_t i = rank == STEP_ALL ? 0 : rank;
	double now = (double)s->t->run->iterations.ranks[i].begin_ns / 1e9;

	for (size_t row = 0; row < s->t->count; row++) {
		s->begins[row] = now;
		now += step_times_row(s->t, i, row)->us / 1e6;
	}
	s->begins[s->t->count] = now;
	return s->begins;
}

/*
 * Did cores work in these rows as much longer as the rows were longer?  More
 * than chance makes of that many samples.
 */
static bool is_by_cpu(const struct step_search *s, uint32_t rank,
		      const uint32_t *rows, size_t count, double excess)
{
	const struct step_times *t = s->t;
	const double *begins = find_row_begins(s, rank);
	uint32_t member = member_of_line(s, rank);
	struct step_cpu loop =
		step_cells_cpu(&s->cells, member, t->begin, t->end);
	double rate = loop.seconds / (loop.to - loop.from);
	double cpu = 0, usual = -excess * rate;

	for (size_t i = 0; i < count; i++) {
		struct step_cpu one =
			step_cells_cpu(&s->cells, member, begins[rows[i]],
				       begins[rows[i] + 1]);

		cpu += one.seconds;
		usual += rate * (one.to - one.from);
	}
	return loop.moments > 0 && cpu - usual >= MOST * rate * excess &&
	       cpu - usual >= SURE * sqrt(fmax(usual, 0) * loop.seconds /
					  loop.moments);
}

static bool is_evident(const struct step_search *s, uint32_t rank,
		       const uint32_t *rows, size_t count, double excess)
{
	return waited_for_core(s, rank) < MOST * excess ||
	       is_by_cpu(s, rank, rows, count, excess);
}

/*
 * A rank that is late now and then.
 */

static double excess_of_own(const struct step_search *s, size_t rank,
			    uint32_t row, double usual)
{
	return (step_times_own(s->t, rank, row) - usual) * s->t->at[row].each;
}

/* Rows in which its own work took longer than usual, and than others'. */
static uint32_t late_rows(const struct step_search *s, size_t rank,
			  double *usual)
{
	const struct step_times *t = s->t;
	uint32_t count = 0;

	for (size_t row = 0; row < t->count; row++)
		s->values[row] = step_times_own(t, rank, row);
	*usual = step_times_median(s->values, t->count);
	for (uint32_t row = 0; row < t->count; row++) {
		double own = step_times_own(t, rank, row);

		if (own > LATE * *usual && own > LATE * t->at[row].own)
			s->rows[count++] = row;
	}
	return count;
}

/* The chance that of n that are so with that chance, `least` or more are. */
static double chance_of_so_many(double n, double least, double chance)
{
	double sum = 0;

	for (double k = least; k <= n; k++)
		sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
			   k * log(chance) + (n - k) * log1p(-chance));
	return sum;
}

struct rhythm {
	uint32_t period, phase;
	double chance;
};

/* Late rows are one of so many rows more often than others are. */
static struct rhythm find_rhythm(const struct step_search *s, uint32_t late)
{
	double rows = (double)s->t->count, asked = 0;
	struct rhythm best = { .chance = 1 };

	for (uint32_t p = 2; p <= LONGEST_RHYTHM && p * TURNS_LEAST <= rows;
	     p++) {
		memset(s->turns, 0, p * sizeof(*s->turns));
		for (uint32_t i = 0; i < late; i++)
			s->turns[s->rows[i] % p]++;
		for (uint32_t phase = 0; phase < p; phase++) {
			double n = ceil((rows - phase) / p);
			double k = s->turns[phase];
			double others = (late - k + 1) / (rows - n + 2);
			double chance =
				k / n > TURNS && others < k / n
					? chance_of_so_many(n, k, others)
					: 1;

			if (chance < best.chance)
				best = (struct rhythm){ p, phase, chance };
		}
		asked += p;
	}
	best.chance *= asked * (double)s->t->run->iterations.rank_count;
	if (best.chance > CHANCE)
		best.period = 0;
	return best;
}

/* Of the late rows those in that rhythm. */
static uint32_t rows_in_rhythm(const struct step_search *s, uint32_t late,
			       const struct rhythm *r)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < late; i++)
		if (s->rows[i] % r->period == r->phase)
			s->rows[count++] = s->rows[i];
	return count;
}

/* By how much iterations were longer: those who wait do so in the next one. */
static double excess_of_all(const struct step_times *t, uint32_t row)
{
	double sum = 0;

	for (uint32_t i = row; i < row + 2 && i < t->count; i++)
		sum += length_of_row(&t->at[i]) - t->usual * t->at[i].each;
	return fmax(0, sum);
}

static struct step_late look_at_rank(const struct step_search *s, uint32_t rank)
{
	struct step_late late = { .rank = rank };
	struct rhythm r;
	double usual;

	late.times = late_rows(s, rank, &usual);
	if (late.times < LATE_LEAST)
		return (struct step_late){ 0 };
	r = find_rhythm(s, late.times);
	if (r.period)
		late.times = rows_in_rhythm(s, late.times, &r);
	late.period = r.period;
	for (uint32_t i = 0; i < late.times; i++) {
		double others = s->t->at[s->rows[i]].own;
		double own =
			excess_of_own(s, rank, s->rows[i], fmax(usual, others));

		late.seconds += own;
		late.lost += fmin(own, excess_of_all(s->t, s->rows[i]));
	}
	return late;
}

/* Its rows again: that they are sure, and on which path. */
static bool confirm_late(struct step_search *s, struct step_late *late)
{
	double usual, length = 0;
	uint32_t count = late_rows(s, late->rank, &usual);
	uint32_t member = member_of_line(s, late->rank);
	struct rhythm r = find_rhythm(s, count);
	const double *begins;

	if (r.period)
		count = rows_in_rhythm(s, count, &r);
	else if (!is_evident(s, late->rank, s->rows, count, late->seconds))
		return false;
	begins = find_row_begins(s, late->rank);
	step_cells_begin(&s->cells);
	for (uint32_t i = 0; i < count && i < LOOKED_AT; i++) {
		double from = begins[s->rows[i]], to = begins[s->rows[i] + 1];

		step_cells_add(&s->cells, member, from, to, 1);
		length += to - from;
	}
	step_cells_less(&s->cells, member, fmax(0, length - late->seconds));
	late->path = step_cells_path(&s->cells);
	return true;
}

/* So many of all on one, and much more than on the next, are no chance. */
static bool is_late_alone(const struct step_search *s,
			  const struct step_late *late,
			  const struct step_late *second, uint32_t times)
{
	double ranks = (double)s->t->run->iterations.rank_count;

	return ranks > 1 && late->times <= s->t->count / 2 &&
	       late->seconds >= 2 * second->seconds &&
	       ranks * chance_of_so_many(times, late->times, 1 / ranks) <=
		       CHANCE;
}

static void find_late_rank(struct step_search *s)
{
	const struct step_times *t = s->t;
	struct step_late best = { 0 }, second = { 0 };
	uint32_t times = 0;

	for (uint32_t i = 0; i < t->run->iterations.rank_count; i++) {
		struct step_late late = look_at_rank(s, i);

		if (!late.times)
			continue;
		times += late.times;
		if (!late.period != !best.period
			    ? late.period > 0
			    : late.seconds > best.seconds) {
			second = best;
			best = late;
		} else if (late.seconds > second.seconds) {
			second = late;
		}
	}
	if (!best.period && !is_late_alone(s, &best, &second, times))
		return;
	if (best.times && confirm_late(s, &best))
		s->to->late = best;
}

/*
 * Iterations that took long.
 */

/*
 * The rank whose own work is most of it, where that of most ranks is not, and
 * in which row: those who wait do so in the next one.
 */
static uint32_t whom_all_waited_for(const struct step_search *s, uint32_t *row,
				    double excess)
{
	uint32_t ranks = (uint32_t)s->t->run->iterations.rank_count;
	uint32_t worst = STEP_ALL, of = *row;
	double most = MOST * excess;

	if ((s->t->at[*row].own - s->own) * s->t->at[*row].each >= most)
		return STEP_ALL;
	for (uint32_t i = 0; i < ranks; i++)
		for (uint32_t k = of - (of > 0); k <= of; k++) {
			double own = excess_of_own(s, i, k, s->own);

			if (own < most)
				continue;
			most = own;
			worst = i;
			*row = k;
		}
	return worst;
}

static int add_slow(struct step_search *s, const struct step_slow *one)
{
	struct step_findings *to = s->to;

	for (size_t i = 0; i < to->slow_count; i++) {
		struct step_slow *same = &to->slow[i];

		if (same->rank != one->rank || same->path != one->path)
			continue;
		same->times++;
		same->seconds += one->seconds;
		return 0;
	}
	return array_append(&to->slow, &to->slow_count, &to->slow_room,
			    sizeof(*one), one)
		       ? 0
		       : no_memory();
}

/*
 * Where an outer loop goes on, each so many iterations are longer, and the
 * cores of all ranks work then: that is what the program does, and nobody
 * waits. Files are written in a rhythm, too.
 */
static struct rhythm find_outer_loop(const struct step_search *s,
				     uint32_t count)
{
	const double *begins = find_row_begins(s, STEP_ALL);
	struct rhythm r = find_rhythm(s, count);
	double excess = 0, cpu = 0, files = 0;

	count = r.period ? rows_in_rhythm(s, count, &r) : 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct step_time *at = &s->t->at[s->rows[i]];
		struct step_cpu one =
			step_cells_cpu(&s->cells, STEP_ALL, begins[s->rows[i]],
				       begins[s->rows[i] + 1]);

		excess += length_of_row(at) - s->t->usual * at->each;
		cpu += one.seconds;
		files += one.files;
	}
	if (files >= MOST * cpu ||
	    !is_by_cpu(s, STEP_ALL, s->rows, count, excess))
		r.period = 0;
	return r;
}

/* An iteration that a late rank explains is named with that rank. */
static int look_at_row(struct step_search *s, uint32_t row,
		       const struct rhythm *outer, bool *sure)
{
	const struct step_time *at = &s->t->at[row];
	struct step_slow one = { .times = 1, .took = at->median };
	uint32_t member;
	const double *begins;

	one.seconds = length_of_row(at) - s->t->usual * at->each;
	one.rank = whom_all_waited_for(s, &row, one.seconds);
	one.number = s->t->at[row].number;
	*sure = is_evident(s, one.rank, &row, 1, one.seconds);
	if (!*sure || (s->to->late.times && one.rank == s->to->late.rank) ||
	    (one.rank == STEP_ALL && outer->period &&
	     row % outer->period == outer->phase))
		return 0;
	begins = find_row_begins(s, one.rank);
	member = member_of_line(s, one.rank);
	step_cells_begin(&s->cells);
	step_cells_add(&s->cells, member, begins[row], begins[row + 1], 1);
	step_cells_less(&s->cells, member, s->t->usual * at->each);
	one.path = step_cells_path(&s->cells);
	return add_slow(s, &one);
}

static uint32_t outlier_rows(const struct step_search *s)
{
	uint32_t count = 0;

	for (uint32_t row = 0; row < s->t->count; row++)
		if (s->t->at[row].outlier)
			s->rows[count++] = row;
	return count;
}

ORDER_ROWS_BY(by_row_length, struct step_time, of,
	      ORDER(length_of_row(b), length_of_row(a)) ?: ORDER(*i, *j))

ORDER_BY(by_slow_seconds, struct step_slow, DESC(seconds) ?: ASC(number))

static int find_slow(struct step_search *s)
{
	struct step_findings *to = s->to;
	struct rhythm outer = find_outer_loop(s, outlier_rows(s));
	uint32_t count = outlier_rows(s);
	int err = 0;

	qsort_r(s->rows, count, sizeof(*s->rows), by_row_length, s->t->at);
	for (uint32_t i = 0; i < count && !err; i++) {
		bool sure = false;

		if (i < LOOKED_AT)
			err = look_at_row(s, s->rows[i], &outer, &sure);
		s->t->at[s->rows[i]].outlier = sure;
		to->unsure += !sure;
	}
	if (to->slow_count)
		qsort(to->slow, to->slow_count, sizeof(*to->slow),
		      by_slow_seconds);
	return err;
}

/*
 * Drift, and both ends.
 */

struct stretch { /* rows first … end - 1 */
	size_t first, end;
	double from, to, iterations;
};

static struct stretch stretch_of(const struct step_times *t, size_t first,
				 size_t end)
{
	struct stretch s = { .first = first, .end = end };

	s.from = t->at[first].begin;
	s.to = end < t->count ? t->at[end].begin : t->end;
	for (size_t row = first; row < end; row++)
		s.iterations += t->at[row].each;
	return s;
}

/* CPU time outside MPI that an iteration of it takes. */
static double cpu_of_stretch(const struct step_search *s,
			     const struct stretch *of)
{
	struct step_cpu cpu =
		step_cells_cpu(&s->cells, STEP_ALL, of->from, of->to);

	return cpu.to > cpu.from ? cpu.seconds / (cpu.to - cpu.from) *
					   (of->to - of->from) / of->iterations
				 : 0;
}

/* Others wait longer for what grows: they are said where nothing else grows. */
static uint32_t path_that_grows(struct step_search *s)
{
	const struct paths *paths = s->cells.paths;
	const struct run_node *nodes = paths->run->nodes;
	double most[2] = { 0 };

	for (uint32_t p = 1; p < paths->count; p++) {
		bool mpi = nodes[paths->at[p].node].kind == RUN_MPI;

		most[mpi] = fmax(most[mpi], s->cells.sums[p]);
	}
	for (uint32_t p = 1; p < paths->count; p++)
		if (most[false] > GROWS * most[true] &&
		    nodes[paths->at[p].node].kind == RUN_MPI)
			s->cells.sums[p] = 0;
	return step_cells_path(&s->cells);
}

static void find_drift(struct step_search *s)
{
	const struct step_times *t = s->t;
	size_t tenth = (t->count + 9) / 10;
	struct stretch a = stretch_of(t, 0, tenth);
	struct stretch b = stretch_of(t, t->count - tenth, t->count);
	double drift = t->last / t->first - 1, seconds = 0;
	double before = cpu_of_stretch(s, &a), cpu = 0;

	for (size_t row = 0; row < t->count; row++)
		seconds +=
			length_of_row(&t->at[row]) - t->first * t->at[row].each;
	if (before > 0)
		cpu = cpu_of_stretch(s, &b) / before - 1;
	if (waited_for_core(s, STEP_ALL) >= MOST * fabs(seconds) &&
	    (cpu * drift <= 0 || fabs(cpu) < DRIFTS ||
	     fabs(cpu) < MOST * fabs(drift)))
		return;
	s->to->drift = drift;
	s->to->drift_seconds = seconds;
	step_cells_begin(&s->cells);
	step_cells_add(&s->cells, STEP_ALL, b.from, b.to, drift > 0 ? 1 : -1);
	step_cells_add(&s->cells, STEP_ALL, a.from, a.to,
		       (drift > 0 ? -1 : 1) * b.iterations / a.iterations);
	s->to->drift_path = path_that_grows(s);
}

static uint32_t path_between(struct step_search *s, double from, double to)
{
	step_cells_begin(&s->cells);
	step_cells_add(&s->cells, STEP_ALL, from, to, 1);
	return step_cells_path(&s->cells);
}

static void find_ends(struct step_search *s)
{
	const struct run_timeline *line = &s->t->run->timeline;
	double end;

	if (!line->axis_count)
		return;
	end = (double)line->axes->width_ns * line->axes->bins / 1e9;
	s->to->before = fmax(0, s->t->begin);
	s->to->after = fmax(0, end - s->t->end);
	s->to->before_path = path_between(s, 0, s->t->begin);
	s->to->after_path = path_between(s, s->t->end, end);
}

static int search_steps(struct step_search *s)
{
	for (size_t row = 0; row < s->t->count; row++)
		s->values[row] = s->t->at[row].own;
	s->own = step_times_median(s->values, s->t->count);
	find_ends(s);
	if (s->t->drifts)
		find_drift(s);
	find_late_rank(s);
	return find_slow(s);
}

int step_findings_init(struct step_findings *to, struct step_times *t,
		       const struct paths *paths)
{
	struct step_search s = { .t = t, .to = to };
	int err;

	*to = (struct step_findings){ 0 };
	if (!t->count)
		return 0;
	s.values = calloc(t->count, sizeof(*s.values));
	s.begins = calloc(t->count + 1, sizeof(*s.begins));
	s.rows = calloc(t->count, sizeof(*s.rows));
	s.turns = calloc(LONGEST_RHYTHM, sizeof(*s.turns));
	err = s.values && s.begins && s.rows && s.turns
		      ? step_cells_init(&s.cells, t, paths)
		      : no_memory();
	if (!err)
		err = search_steps(&s);
	step_cells_fini(&s.cells);
	free(s.values);
	free(s.begins);
	free(s.rows);
	free(s.turns);
	if (err)
		step_findings_fini(to);
	return err;
}

void step_findings_fini(struct step_findings *f)
{
	free(f->slow);
	*f = (struct step_findings){ 0 };
}
