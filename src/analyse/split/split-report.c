/* SPDX-License-Identifier: BSD-3-Clause */
/* split-report.c - what the time of all ranks and threads went into. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/split/time-split.h"
#include "base/comparison.h"
#include "base/err.h"

#define LEAST 0.001 /* of the whole: a row of a path */

enum {
	ROWS = 20
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
}

static void part_row(struct report *report, const struct time_split *s,
		     enum split_part part, double *values)
{
	const struct time_part *p = &s->parts[part];
	size_t count = s->run->member_count;

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

	*count = 0;
	for (size_t part = 0; at && own && said && part < SPLIT_PARTS; part++) {
		time_split_paths(s, paths, part, own);
		for (uint32_t p = 0; p < paths->count; p++)
			said[p] = 0;
		for (uint32_t p = 0; p < paths->count; p++)
			said[paths_said(paths, p)] += own[p];
		for (uint32_t p = 0; p < paths->count; p++)
			if (said[p] > 0)
				at[(*count)++] =
					(struct split_place){ p, part,
							      said[p] };
	}
	if (*count)
		qsort(at, *count, sizeof(*at), by_split_seconds);
	if (!own || !said) {
		free(at);
		at = NULL;
	}
	free(own);
	free(said);
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
	if (!err)
		split_rank_table(report, &split);
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
