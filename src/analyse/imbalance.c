/* SPDX-License-Identifier: BSD-3-Clause */
/* imbalance.c - which call paths and which processes took longer than others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/efficiency.h"
#include "analyse/skew.h"
#include "analyse/value.h"
#include "base/err.h"

/* Unless rows are asked for, paths below this share of the first's are not. */
#define SMALL 0.01

static void path_columns(struct report *report, const struct skews *skews)
{
	const struct run *run = skews->paths->run;
	const struct run_metric *metric = skews->metric;

	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "function", NULL, COLUMN_TEXT);
	value_column(report, "mean", "mean", metric);
	value_column(report, "min", NULL, metric);
	value_column(report, "max", "max", metric);
	report_column(report, "max_mean", "max/mean", COLUMN_NUMBER);
	report_column(report, "max_rank", run->world ? "on rank" : "in process",
		      COLUMN_COUNT);
	value_column(report, "recoverable", "recoverable", metric);
	report_column(report, NULL,
		      run->world ? "over ranks" : "over processes",
		      COLUMN_SPARK);
}

static void path_row(struct report *report, const struct skews *skews,
		     const struct skew *k, double *values)
{
	const struct run *run = skews->paths->run;
	enum unit unit = skews->metric->unit;
	char *text = paths_text(skews->paths, k->path);

	report_text(report, text);
	report->failed |= !text;
	report_text(report,
		    paths_function(run, skews->paths->at[k->path].node));
	value_cell(report, unit, k->mean);
	value_cell(report, unit, k->min);
	value_cell(report, unit, k->max);
	report_number(report, value_ratio(k->max, k->mean));
	report_count(report, value_process(run, k->max_process));
	value_cell(report, unit, k->recoverable);
	skew_values(skews, k->path, values);
	report_spark(report, values, skews->process_count);
	free(text);
}

/* All rows, when all are asked for; else those that say something new. */
static bool is_row(const struct skews *skews, const struct skew *k,
		   const struct analysis_options *options)
{
	if (options->limit == SIZE_MAX)
		return true;
	if (k->explained || k->recoverable <= 0)
		return false;
	return options->limit ||
	       k->recoverable > SMALL * skews->at[0].recoverable;
}

static int path_table(struct report *report, const struct skews *skews,
		      const struct analysis_options *options)
{
	size_t limit = value_limit(options, 20, skews->count), rows = 0;
	double *values = calloc(skews->process_count + 1, sizeof(*values));

	if (!values)
		return fail(-ENOMEM, "out of memory");
	report_table(report, "paths", "call paths, with what they call");
	path_columns(report, skews);
	for (size_t i = 0; i < skews->count && rows < limit; i++) {
		if (!is_row(skews, &skews->at[i], options))
			continue;
		path_row(report, skews, &skews->at[i], values);
		rows++;
	}
	free(values);
	return 0;
}

static void rank_columns(struct report *report, const struct run *run,
			 const struct run_metric *metric)
{
	bool mpi = run->world;

	report_column(report, "rank", mpi ? "rank" : NULL, COLUMN_COUNT);
	report_column(report, "pid", mpi ? NULL : "process", COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "threads", "threads", COLUMN_COUNT);
	report_column(report, "elapsed", "elapsed", COLUMN_SECONDS);
	report_column(report, "cpu", "CPU", COLUMN_SECONDS);
	report_column(report, "useful", mpi ? "useful" : NULL, COLUMN_SECONDS);
	report_column(report, "mpi", mpi ? "MPI" : NULL, COLUMN_SECONDS);
	report_column(report, "mpi_share", mpi ? "share" : NULL, COLUMN_SHARE);
	report_column(report, "samples", NULL, COLUMN_COUNT);
	report_column(report, "value", NULL, value_type(metric->unit));
	report_column(report, NULL, metric->name, COLUMN_BAR);
}

static void rank_row(struct report *report, const struct run *run,
		     const struct run_rank *r)
{
	if (r->rank >= 0)
		report_count(report, (uint64_t)r->rank);
	else
		report_none(report);
	report_count(report, r->pid);
	report_text(report, str_at(&run->strings, r->host));
	report_count(report, r->threads);
	report_number(report, (double)r->elapsed_ns / 1e9);
	report_number(report, (double)r->cpu_ns / 1e9);
	if (r->mpi_ns) {
		report_number(report, efficiency_useful(r));
		report_number(report, (double)r->mpi_time_ns / 1e9);
		report_number(report, efficiency_mpi(r));
	} else {
		report_none(report);
		report_none(report);
		report_none(report);
	}
	report_count(report, r->samples);
}

/* Each process's total of the metric; to be freed, NULL when out of memory. */
static double *totals(const struct run *run, const struct run_metric *m)
{
	double *sum = calloc(run->rank_count + 1, sizeof(*sum));

	for (uint64_t v = 0; sum && v < m->first[run->node_count]; v++)
		sum[m->values[v].rank] +=
			value_of(m->unit, (double)m->values[v].value);
	return sum;
}

static int rank_table(struct report *report, const struct run *run,
		      const struct run_metric *metric)
{
	double *sum = totals(run, metric), most = 0;

	if (!sum)
		return fail(-ENOMEM, "out of memory");
	for (size_t i = 0; i < run->rank_count; i++)
		if (sum[i] > most)
			most = sum[i];
	report_table(report, "ranks", run->world ? "ranks" : "processes");
	rank_columns(report, run, metric);
	for (size_t i = 0; i < run->rank_count; i++) {
		rank_row(report, run, &run->ranks[i]);
		value_cell(report, metric->unit, sum[i]);
		report_number(report, value_ratio(sum[i], most));
	}
	free(sum);
	return 0;
}

static int run_imbalance(struct report **to, const struct run *const runs[],
			 const struct analysis_options *options)
{
	const struct run_metric *metric;
	struct paths paths = { 0 };
	struct skews skews = { 0 };
	int err = value_one_run(runs, "imbalance");

	if (err)
		return err;
	metric = value_metric(runs[0], options, NULL);
	if (!metric)
		return -EINVAL;
	err = paths_init(&paths, runs[0]);
	if (!err)
		err = skew_init(&skews, &paths, metric);
	if (err)
		goto out;
	*to = value_report("imbalance", runs[0], metric);
	err = *to ? path_table(*to, &skews, options) : -ENOMEM;
	if (!err)
		err = rank_table(*to, runs[0], metric);
	if (!err && skews.process_count < 2)
		report_line(*to, "One process: there is nothing to compare.");
	if (!err)
		err = report_error(*to);
out:
	skew_fini(&skews);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_imbalance = {
	.name = "imbalance",
	.help = "call paths that differ between ranks, and a line per rank",
	.run = run_imbalance,
};
