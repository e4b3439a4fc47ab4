/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-table.c - the iterations of a program: how long they took, which of them
 * stand out and why, and ranks by iteration as a drawing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"
#include "analyse/time/step-findings.h"
#include "base/comparison.h"
#include "base/err.h"

#define SLOWEST 10 /* iterations that readers see */
#define REASONS 3  /* for which iterations took long, the same */
#define LINES   32

static const char *steps_by(const struct step_times *t)
{
	if (!t->step->marked)
		return t->step->lines ? "each ends in a call, from one of "
					"several lines, of"
				      : "each ends in a call of";
	return t->run->nodes[t->step->node].kind == RUN_PHASE
		       ? "the program marks them by the phase"
		       : "the program marks them by";
}

static void say_step(struct report *report, const struct step_times *t,
		     const struct paths *paths)
{
	const struct run_step *s = t->step;
	char usual[32], begin[32], end[32], many[32];
	char *path = paths_short(paths, paths->of[s->node], 3);

	if (!path) {
		report->failed = true;
		return;
	}
	report_line(report,
		    "%s of %s (median), from %s to %s: %s %s, %.0f %% of them "
		    "regular.",
		    phrase_many(many, (double)s->iterations, "iteration"),
		    phrase_time(usual, t->usual), phrase_time(begin, t->begin),
		    phrase_time(end, t->end), steps_by(t), path,
		    100 * s->regular);
	if (s->per > 1)
		report_line(report, "%u of these calls are one iteration.",
			    s->per);
	free(path);
}

/* ", mostly in read_input ← main"; empty where no path is known. */
static char *text_of_path_part(const struct paths *paths, uint32_t path,
			       const char *word)
{
	char *text = path ? paths_short(paths, path, 2) : NULL;
	char *said = text ? str_format(", %s in %s", word, text) : strdup("");

	free(text);
	return said;
}

/* What is before the first and behind the last one. */
static void say_ends(struct report *report, const struct step_findings *f,
		     const struct paths *paths)
{
	char before[32], after[32];
	char *first = text_of_path_part(paths, f->before_path, "mostly");
	char *last = text_of_path_part(paths, f->after_path, "mostly");

	if (f->before + f->after > 0 && first && last)
		report_line(report,
			    "%s before the first one%s; %s after the "
			    "last%s.",
			    phrase_time(before, f->before), first,
			    phrase_time(after, f->after), last);
	free(first);
	free(last);
}

static uint64_t number_of_rank(const struct step_times *t, uint32_t rank)
{
	return processes_number(t->run, t->run->iterations.ranks[rank].rank);
}

static void say_slow(struct report *report, const struct step_times *t,
		     const struct paths *paths, const struct step_slow *slow)
{
	char *path = text_of_path_part(paths, slow->path, "most of the excess");
	char took[32], whom[64] = "on all ranks", others[64] = "";

	if (slow->rank != STEP_ALL)
		snprintf(whom, sizeof(whom), "all for rank %ju",
			 (uintmax_t)number_of_rank(t, slow->rank));
	if (slow->times > 1)
		snprintf(others, sizeof(others), " (and %u shorter ones)",
			 slow->times - 1);
	report_line(
		report, "! Iteration %ju%s took %s, %.1f × the usual, %s%s.",
		(uintmax_t)slow->number, others, phrase_time(took, slow->took),
		value_ratio(slow->took, t->usual), whom, path ? path : "");
	free(path);
}

static void say_late(struct report *report, const struct step_times *t,
		     const struct paths *paths, const struct step_late *late)
{
	char *path = text_of_path_part(paths, late->path, "mostly");
	char seconds[32], rhythm[64] = "";

	if (late->period)
		snprintf(rhythm, sizeof(rhythm), ", one of %u", late->period);
	if (late->times)
		report_line(report,
			    "! Rank %ju was slower than the others in %u "
			    "iterations%s: %s "
			    "more than in its usual ones%s.",
			    (uintmax_t)number_of_rank(t, late->rank),
			    late->times, rhythm,
			    phrase_time(seconds, late->seconds),
			    path ? path : "");
	free(path);
}

static void say_drift(struct report *report, const struct step_times *t,
		      const struct paths *paths, const struct step_findings *f)
{
	char *path = text_of_path_part(paths, f->drift_path, "most of it");
	char first[32], last[32];

	report_line(report,
		    "%sIterations became %s: %s in the first tenth, %s in the "
		    "last one (%+.0f %%)%s.",
		    f->drift > 0 ? "! " : "",
		    f->drift > 0 ? "slower" : "faster",
		    phrase_time(first, t->first), phrase_time(last, t->last),
		    100 * f->drift, path ? path : "");
	free(path);
}

static void say_steps(struct report *report, const struct step_times *t,
		      const struct paths *paths, const struct step_findings *f)
{
	char many[32];

	say_ends(report, f, paths);
	for (size_t i = 0; i < f->slow_count && i < REASONS; i++)
		say_slow(report, t, paths, &f->slow[i]);
	say_late(report, t, paths, &f->late);
	if (f->drift != 0)
		say_drift(report, t, paths, f);
	if (f->unsure)
		report_line(
			report,
			"%s took as long while ranks waited for cores: not "
			"the program's doing, or not surely.",
			phrase_many(many, (double)f->unsure, "more iteration"));
}

/*
 * Tables.
 */

static void iteration_columns(struct report *report)
{
	report_table(report, "iterations", "the longest iterations");
	report_column(report, "iteration", "iteration", COLUMN_COUNT);
	report_column(report, "each", NULL, COLUMN_COUNT);
	report_column(report, "begin", "begin", COLUMN_SECONDS);
	report_column(report, "median", "median", COLUMN_SECONDS);
	report_column(report, "min", "least", COLUMN_SECONDS);
	report_column(report, "max", "most", COLUMN_SECONDS);
	report_column(report, "max_rank", "on rank", COLUMN_COUNT);
	report_column(report, "mpi", "MPI", COLUMN_SECONDS);
	report_column(report, "times", "× usual", COLUMN_NUMBER);
	report_column(report, "outlier", NULL, COLUMN_COUNT);
	report_column(report, "path", "slow in", COLUMN_TEXT);
}

static void iteration_row(struct report *report, const struct step_times *t,
			  struct step_cells *cells, size_t row)
{
	const struct step_time *at = &t->at[row];
	uint32_t path = at->outlier ? step_cells_row(cells, row) : 0;
	uint32_t slowest = t->run->iterations.ranks[at->slowest].rank;

	report_count(report, at->number);
	report_count(report, at->each);
	report_number(report, at->begin);
	report_number(report, at->median);
	report_number(report, at->least);
	report_number(report, at->most);
	report_count(report, processes_number(t->run, slowest));
	report_number(report, at->mpi);
	report_number(report, value_ratio(at->median, t->usual));
	report_count(report, at->outlier);
	if (path)
		paths_cell(report, cells->paths, path);
	else
		report_none(report);
}

/* Those that stand out, for readers; all, in their order, for programs. */
ORDER_POINTERS_BY(by_median, struct step_time, DESC(median) ?: ORDER(a, b))

static int iterations_table(struct report *report, const struct step_times *t,
			    const struct paths *paths, size_t limit)
{
	const struct step_time **order = calloc(t->count + 1, sizeof(*order));
	struct step_cells cells = { 0 };
	int err = order ? step_cells_init(&cells, t, paths) : no_memory();

	if (err) {
		free(order);
		return err;
	}
	for (size_t row = 0; row < t->count; row++)
		order[row] = &t->at[row];
	if (limit < t->count)
		qsort(order, t->count, sizeof(*order), by_median);
	iteration_columns(report);
	for (size_t i = 0; i < limit && i < t->count; i++)
		iteration_row(report, t, &cells, (size_t)(order[i] - t->at));
	step_cells_fini(&cells);
	free(order);
	return 0;
}

/* One rank of a line, as long as the usual iteration: half of the scale. */
static void rank_strip(struct report *report, const struct step_times *t,
		       size_t first, size_t end, double *values)
{
	for (size_t row = 0; row < t->count; row++) {
		double most = 0;

		for (size_t i = first; i < end; i++) {
			const struct run_iteration *at =
				step_times_row(t, i, row);
			double own =
				at->us > at->mpi_us ? at->us - at->mpi_us : 0;

			most = fmax(most, own / 1e6 / t->at[row].each);
		}
		values[row] = fmin(value_ratio(most, 2 * t->usual), 1);
	}
	report_spark(report, values, t->count);
}

static void rank_row(struct report *report, const struct step_times *t,
		     size_t first, size_t end, double *values)
{
	const struct run_iterations *all = &t->run->iterations;
	double us = 0, mpi = 0, gpu = 0;

	for (size_t i = first; i < end; i++)
		for (size_t row = 0; row < t->count; row++) {
			const struct run_iteration *at =
				step_times_row(t, i, row);

			us += at->us;
			mpi += at->mpi_us;
			gpu += at->gpu_us;
		}
	report_count(report, processes_number(t->run, all->ranks[first].rank));
	report_count(report, end - first);
	rank_strip(report, t, first, end, values);
	report_count(report, all->ranks[first].iterations);
	report_number(report, us / 1e6 / (double)(end - first));
	report_number(report, value_ratio(mpi, us));
	report_number(report, value_ratio(gpu, us));
}

static int ranks_table(struct report *report, const struct step_times *t,
		       size_t limit)
{
	size_t ranks = t->run->iterations.rank_count;
	size_t each = ranks > limit ? (ranks - 1) / limit + 1 : 1;
	double *values = calloc(t->count + 1, sizeof(*values));

	if (!values)
		return no_memory();
	report_table(report, "ranks",
		     "own work of each rank (down) in each iteration (across)");
	report_column(report, "rank", processes_noun(t->run), COLUMN_COUNT);
	report_column(report, "ranks", each > 1 ? "ranks" : NULL, COLUMN_COUNT);
	report_column(report, NULL, "iterations", COLUMN_HEAT);
	report_column(report, "iterations", NULL, COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "mpi", "MPI", COLUMN_SHARE);
	report_column(report, "gpu", t->run->gpu.device_count ? "GPU" : NULL,
		      COLUMN_SHARE);
	for (size_t i = 0; i < ranks; i += each)
		rank_row(report, t, i, i + each < ranks ? i + each : ranks,
			 values);
	free(values);
	return 0;
}

/* Rank by iteration, for programs. */
static void cells_of_ranks(struct report *report, const struct step_times *t)
{
	const struct run_iterations *all = &t->run->iterations;

	report_table(report, "cells", NULL);
	report_column(report, "rank", NULL, COLUMN_COUNT);
	report_column(report, "iteration", NULL, COLUMN_COUNT);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	report_column(report, "mpi", NULL, COLUMN_SECONDS);
	report_column(report, "gpu", NULL, COLUMN_SECONDS);
	for (size_t i = 0; i < all->rank_count; i++)
		for (size_t row = 0; row < t->count; row++) {
			const struct run_iteration *at =
				step_times_row(t, i, row);

			report_count(
				report,
				processes_number(t->run, all->ranks[i].rank));
			report_count(report, t->at[row].number);
			report_number(report, at->us / 1e6);
			report_number(report, at->mpi_us / 1e6);
			report_number(report, at->gpu_us / 1e6);
		}
}

/* Several loops, one after another: a row for each. */
static void series_table(struct report *report, const struct run *run,
			 const struct paths *paths)
{
	const struct run_iterations *all = &run->iterations;

	if (all->series_count < 2)
		return;
	report_table(report, "series", "loops, one after another");
	report_column(report, "path", "each iteration has", COLUMN_TEXT);
	report_column(report, "per", "calls", COLUMN_COUNT);
	report_column(report, "iterations", "iterations", COLUMN_COUNT);
	report_column(report, "mean", "mean", COLUMN_SECONDS);
	report_column(report, "begin", "from", COLUMN_SECONDS);
	report_column(report, "end", "to", COLUMN_SECONDS);
	report_column(report, "regular", "regular", COLUMN_SHARE);
	for (size_t i = 0; i < all->series_count; i++) {
		const struct run_step_series *s = &all->series[i];
		double begin = (double)s->begin_ns / 1e9;
		double end = (double)s->end_ns / 1e9;

		paths_cell(report, paths, paths->of[s->node]);
		report_count(report, s->per);
		report_count(report, s->iterations);
		report_number(report, value_ratio(end - begin,
						  (double)s->iterations - 1));
		report_number(report, begin);
		report_number(report, end);
		report_number(report, s->regular);
	}
}

static int step_tables(struct report *report, const struct step_times *t,
		       const struct paths *paths,
		       const struct analysis_options *options)
{
	int err;

	series_table(report, t->run, paths);
	err = iterations_table(report, t, paths,
			       analysis_limit(options, SLOWEST, t->count));
	if (!err)
		err = ranks_table(report, t,
				  analysis_limit(options, LINES, SIZE_MAX));
	if (!err && options->limit == SIZE_MAX)
		cells_of_ranks(report, t);
	return err;
}

static int make_step_report(struct report *report, struct step_times *t,
			    const struct analysis_options *options)
{
	struct step_findings f = { 0 };
	struct paths paths;
	int err = paths_init(&paths, t->run);

	if (err)
		return err;
	err = step_findings_init(&f, t, &paths);
	if (!err) {
		say_step(report, t, &paths);
		say_steps(report, t, &paths, &f);
		err = step_tables(report, t, &paths, options);
	}
	step_findings_fini(&f);
	paths_fini(&paths);
	return err;
}

static int run_step_table(struct report **to, const struct run *const runs[],
			  const struct analysis_options *options)
{
	struct step_times t = { 0 };
	int err = analysis_one_run(runs, "iterations");

	if (err)
		return err;
	*to = analysis_report("iterations", runs[0], NULL);
	if (!*to)
		return -ENOMEM;
	err = step_times_init(&t, runs[0]);
	if (!err && t.count)
		err = make_step_report(*to, &t, options);
	else if (!err)
		report_line(*to, "No iterations: no MPI call repeats regularly "
				 "on most ranks, or the database is of an "
				 "older version.");
	step_times_fini(&t);
	return err ? err : report_error(*to);
}

const struct analysis analysis_step_table = {
	.name = "iterations",
	.help = "the steps of the program: how long, which stand out, and why",
	.run = run_step_table,
};
