/* SPDX-License-Identifier: BSD-3-Clause */
/* split-report.c - what the time of all ranks and threads went into. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/split/time-split.h"
#include "base/comparison.h"
#include "base/err.h"

#define LEAST 0.001 /* of the whole: a row of a path */

#define LEAST_OF_PHASE 0.02 /* of a phase: a row of a part */

enum {
	ROWS = 20,
	TIMES = 20, /* that readers see of the course of a part */
	PHASES = 10
};

static void part_columns(struct report *report, const struct run *run)
{
	const char *noun = run->world ? "ranks" : "processes";
	char over[32];

	snprintf(over, sizeof(over), "over %s", noun);
	report_table(report, "parts", "parts of the time");
	report_column(report, "part", NULL, COLUMN_TEXT);
	report_column(report, NULL, "part", COLUMN_TEXT);
	report_column(report, "share", "of all", COLUMN_SHARE);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "low", "at least", COLUMN_SECONDS);
	report_column(report, "high", "at most", COLUMN_SECONDS);
	report_column(report, "mean", NULL, COLUMN_SECONDS);
	report_column(report, "max", NULL, COLUMN_SECONDS);
	report_column(report, "max_rank",
		      run->world ? "most on rank" : "most in process",
		      COLUMN_COUNT);
	report_column(report, NULL, over, COLUMN_SPARK);
	report_column(report, NULL, run->split.bin_count ? "over time" : NULL,
		      COLUMN_SPARK);
}

static void part_row(struct report *report, const struct time_split *s,
		     enum split_part part, double *values)
{
	const struct time_part *p = &s->parts[part];
	size_t count = s->run->member_count;
	double course[TIMES];

	for (size_t i = 0; i < count; i++)
		values[i] = s->ranks[i][part];
	report_text(report, split_names[part].name);
	report_text(report, split_names[part].title);
	report_number(report, value_ratio(p->seconds, s->whole));
	report_number(report, p->seconds);
	report_number(report, p->low);
	report_number(report, p->high);
	report_number(report, p->mean);
	report_number(report, p->most);
	report_count(report, processes_number(s->run, p->most_rank));
	report_spark(report, values, count);
	time_split_course(s, part, course, TIMES);
	report_spark(report, course, TIMES);
}

static int parts_table(struct report *report, const struct time_split *s)
{
	double *values = calloc(s->run->rank_count + 1, sizeof(*values));

	if (!values)
		return no_memory();
	part_columns(report, s->run);
	for (size_t i = 0; i < SPLIT_PARTS; i++)
		if (s->parts[i].high > 0)
			part_row(report, s, i, values);
	free(values);
	return 0;
}

/* Seconds of a part at a path of the program's own. */
struct split_place {
	uint32_t path;
	enum split_part part;
	double seconds;
};

static int by_split_seconds(const void *x, const void *y)
{
	const struct split_place *a = x, *b = y;

	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? 1 : -1;
	return a->path != b->path ? ORDER(a->path, b->path)
				  : ORDER(a->part, b->part);
}

/* To be freed; NULL: out of memory. */
static struct split_place *find_split_places(const struct time_split *s,
					     const struct paths *paths,
					     size_t *count)
{
	struct split_place *at =
		calloc(s->run->split.path_count + 1, sizeof(*at));
	double *own = calloc(paths->count + 1, sizeof(*own));
	double *said = calloc(paths->count + 1, sizeof(*said));
	uint32_t *of = calloc(paths->count + 1, sizeof(*of));

	*count = 0;
	for (uint32_t p = 0; of && p < paths->count; p++)
		of[p] = paths_said(paths, p);
	for (size_t part = 0; at && own && said && of && part < SPLIT_PARTS;
	     part++) {
		time_split_paths(s, paths, part, own);
		for (uint32_t p = 0; p < paths->count; p++)
			said[p] = 0;
		for (uint32_t p = 0; p < paths->count; p++)
			said[of[p]] += own[p];
		for (uint32_t p = 0; p < paths->count; p++)
			if (said[p] > 0)
				at[(*count)++] =
					(struct split_place){ p, part,
							      said[p] };
	}
	if (*count)
		qsort(at, *count, sizeof(*at), by_split_seconds);
	if (!own || !said || !of) {
		free(at);
		at = NULL;
	}
	free(own);
	free(said);
	free(of);
	return at;
}

static int split_places_table(struct report *report, const struct time_split *s,
			      const struct paths *paths,
			      const struct analysis_options *options)
{
	size_t count, limit;
	struct split_place *at = find_split_places(s, paths, &count);

	if (!at)
		return no_memory();
	limit = analysis_limit(options, ROWS, count);
	report_table(report, "paths", "by call path");
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "of all", COLUMN_SHARE);
	report_column(report, "part", NULL, COLUMN_TEXT);
	report_column(report, NULL, "part", COLUMN_TEXT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	for (size_t i = 0; i < limit; i++) {
		if (!options->limit && at[i].seconds < LEAST * s->whole)
			break;
		report_number(report, at[i].seconds);
		report_number(report, value_ratio(at[i].seconds, s->whole));
		report_text(report, split_names[at[i].part].name);
		report_text(report, split_names[at[i].part].title);
		paths_cell(report, paths, at[i].path);
	}
	free(at);
	return 0;
}

/*
 * A part in a phase is the sum of its paths there.  What has no path, as
 * wanting a core, is what is left of the phase's time.
 */
static double rest_of_phase(const struct time_split *s, uint32_t node,
			    double known)
{
	const struct run_metric *m = run_metric(s->run, "phase.time");
	uint32_t end = run_subtree_end(s->run, node);
	double all = 0;

	for (uint32_t n = node; m && n < end; n++)
		all += m->stats[n].sum / 1e9;
	return fmax(all - known, 0);
}

static void split_phase_row(struct report *report, const char *phase,
			    const char *id, const char *title, double seconds,
			    double whole)
{
	if (seconds < LEAST_OF_PHASE * whole || seconds <= 0)
		return;
	report_text(report, phase);
	report_text(report, id);
	report_text(report, title);
	report_number(report, seconds);
	report_number(report, value_ratio(seconds, whole));
}

static void split_phase_rows(struct report *report, const struct time_split *s,
			     const struct paths *paths, uint32_t node)
{
	char *phase = paths_text(paths, paths->of[node]);
	double parts[SPLIT_PARTS], known = 0, rest;

	report->failed |= !phase;
	time_split_below(s, node, parts);
	for (size_t p = 0; p < SPLIT_PARTS; p++)
		known += parts[p];
	rest = rest_of_phase(s, node, known);
	for (size_t p = 0; p < SPLIT_PARTS; p++)
		split_phase_row(report, phase, split_names[p].name,
				split_names[p].title, parts[p], known + rest);
	split_phase_row(report, phase, "off", "off a core, outside MPI", rest,
			known + rest);
	free(phase);
}

/* In the order of the program. */
static void split_phase_table(struct report *report, const struct time_split *s,
			      const struct paths *paths,
			      const struct analysis_options *options)
{
	const struct run *run = s->run;
	size_t left = analysis_limit(options, PHASES, SIZE_MAX);
	uint32_t node = 1;

	report_table(report, "phases", "by phase");
	report_column(report, "phase", "phase", COLUMN_TEXT);
	report_column(report, "part", NULL, COLUMN_TEXT);
	report_column(report, NULL, "part", COLUMN_TEXT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "of the phase", COLUMN_SHARE);
	for (; node < run->node_count && left; node++) {
		if (run->nodes[node].kind != RUN_PHASE)
			continue;
		split_phase_rows(report, s, paths, node);
		left--;
	}
}

/* For programs: when each part was. */
static void split_bin_table(struct report *report, const struct time_split *s)
{
	const struct run *run = s->run;

	report_table(report, "bins", NULL);
	report_column(report, "part", NULL, COLUMN_TEXT);
	report_column(report, "begin", NULL, COLUMN_SECONDS);
	report_column(report, "end", NULL, COLUMN_SECONDS);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	for (size_t i = 0; i < run->split.bin_count; i++) {
		const struct run_split_bin *row = &run->split.bins[i];
		double width = (double)run->timeline.axes->width_ns / 1e9;

		report_text(report, split_names[row->part].name);
		report_number(report, row->bin * width);
		report_number(report, (row->bin + 1) * width);
		report_number(report, (double)row->ns / 1e9);
	}
}

/* For programs: every part of each process. */
static void split_rank_table(struct report *report, const struct time_split *s)
{
	report_table(report, "ranks", NULL);
	report_column(report, "rank", NULL, COLUMN_COUNT);
	report_column(report, "part", NULL, COLUMN_TEXT);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	report_column(report, "low", NULL, COLUMN_SECONDS);
	report_column(report, "high", NULL, COLUMN_SECONDS);
	for (size_t i = 0; i < s->run->split.rank_count; i++) {
		const struct run_split_rank *row = &s->run->split.ranks[i];

		report_count(report, processes_number(s->run, row->rank));
		report_text(report, split_names[row->part].name);
		report_number(report, (double)row->ns / 1e9);
		report_number(report, (double)row->low_ns / 1e9);
		report_number(report, (double)row->high_ns / 1e9);
	}
}

static int fill_split(struct report *report, const struct run *run,
		      const struct analysis_options *options)
{
	struct time_split split = { 0 };
	struct paths paths;
	int err = paths_init(&paths, run);

	if (err)
		return err;
	err = time_split_init(&split, run);
	if (!err)
		err = parts_table(report, &split);
	if (!err)
		err = split_places_table(report, &split, &paths, options);
	if (!err) {
		split_phase_table(report, &split, &paths, options);
		split_rank_table(report, &split);
		split_bin_table(report, &split);
	}
	time_split_fini(&split);
	paths_fini(&paths);
	return err;
}

static int run_split_report(struct report **to, const struct run *const runs[],
			    const struct analysis_options *options)
{
	int err = analysis_one_run(runs, "split");

	if (err)
		return err;
	*to = analysis_report("split", runs[0], NULL);
	if (!*to)
		return -ENOMEM;
	err = fill_split(*to, runs[0], options);
	return err ? err : report_error(*to);
}

const struct analysis analysis_split_report = {
	.name = "split",
	.help = "what the time of all ranks and threads went into",
	.run = run_split_report,
};
