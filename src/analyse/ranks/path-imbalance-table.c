/* SPDX-License-Identifier: BSD-3-Clause */
/* path-imbalance-table.c - rows that say something new, with the shape of each.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/base/confidence.h"
#include "analyse/ranks/path-imbalance.h"
#include "analyse/ranks/rank-distribution.h"
#include "base/comparison.h"
#include "base/err.h"
#include "run/values.h"

#define MANY 64 /* rows: most values are read, and some often */
#define MORE 4  /* times the rows: paths that are looked at */

/* Unless rows are asked for, paths below this share of the first's are not. */
#define SMALL 0.01

/* Standard deviations that chance is given. */
#define DEVIATIONS 3

static void skew_path_columns(struct report *report, const struct skews *skews)
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
	value_column(report, "imbalance", "imbalance", metric);
	report_spare(report);
	value_column(report, "recoverable", "recoverable", metric);
	report_key(report);
	report_column(report, "shape", NULL, COLUMN_TEXT);
	report_column(report, NULL, "shape", COLUMN_TEXT);
	report_column(report, NULL,
		      run->world ? "over ranks" : "over processes",
		      COLUMN_SPARK);
}

void imbalance_table_shape(struct report *report, const struct shapes *shapes,
			   const double *values)
{
	struct shape shape;
	char *text = NULL;

	if (distribution_of(&shape, shapes, values))
		report->failed = true;
	else
		text = distribution_text(&shape, shapes, values);
	report->failed |= !text;
	report_text(report, distribution_word(&shape));
	report_text(report, text);
	free(text);
}

/* What differs by chance, where each sample has that weight. */
static double chance_difference(double value, double weight)
{
	return DEVIATIONS * sqrt(value * weight);
}

static int table_row(struct report *report, const struct skews *skews,
		     const struct shapes *shapes, const struct skew *k,
		     double *values)
{
	const struct run *run = skews->paths->run;
	enum unit unit = skews->metric->unit;
	int err = imbalance_values(skews, k->path, values);

	if (err)
		return err;
	paths_cell(report, skews->paths, k->path);
	report_text(report,
		    paths_function(run, skews->paths->at[k->path].node));
	value_cell(report, unit, k->mean);
	value_cell(report, unit, k->min);
	value_cell(report, unit, k->max);
	report_number(report, value_ratio(k->max, k->mean));
	report_count(report, processes_number(run, k->max_process));
	value_cell(report, unit, k->imbalance);
	value_cell(report, unit, k->recoverable);
	imbalance_table_shape(report, shapes, values);
	report_spark(report, values, skews->process_count);
	return 0;
}

/* All rows, when all are asked for; else those that say something new. */
static bool is_skew_row(const struct skews *skews, const struct skew *k,
			const struct imbalance_table *how,
			const struct analysis_options *options)
{
	if (how->outside && paths_waits(skews->paths, k->path))
		return false;
	if (options->limit == SIZE_MAX)
		return true;
	if (k->explained || k->imbalance <= 0)
		return false;
	return options->limit || k->imbalance > SMALL * skews->at[0].imbalance;
}

/* Of a metric that was sampled, else 0. */
static double sample_weight(const struct skews *skews)
{
	const struct run_metric *m = skews->metric;
	size_t nodes = skews->paths->run->node_count;
	double total = 0;

	for (size_t n = 0; n < nodes; n++)
		total += value_node(m, n);
	return value_ratio(total, confidence_samples(skews->paths->run, m));
}

static int by_recoverable(const void *x, const void *y)
{
	const struct skew *a = x, *b = y;

	if (a->recoverable != b->recoverable)
		return a->recoverable < b->recoverable ? 1 : -1;
	if (a->imbalance != b->imbalance)
		return a->imbalance < b->imbalance ? 1 : -1;
	return ORDER(a->path, b->path);
}

/*
 * The most uneven of those that are rows, `most` at most, by what an even load
 * would save; to be freed, NULL with a reason.
 */
static struct skew *find_recoverable(const struct skews *skews, size_t most,
				     const struct imbalance_table *how,
				     const struct analysis_options *options,
				     double *values, size_t *count)
{
	struct skew *at = calloc(skews->count + 1, sizeof(*at));
	struct skew outside;
	int err = at ? 0 : no_memory();

	*count = 0;
	for (size_t i = 0; i < skews->count && *count < most && !err; i++) {
		const struct skew *k = &skews->at[i];

		if (!is_skew_row(skews, k, how, options))
			continue;
		err = imbalance_outside_mpi(skews, k->path, values, &outside);
		at[*count] = *k;
		at[(*count)++].recoverable = outside.recoverable;
	}
	if (err) {
		free(at);
		return NULL;
	}
	qsort(at, *count, sizeof(*at), by_recoverable);
	return at;
}

int imbalance_table(struct report *report, const struct skews *skews,
		    const struct imbalance_table *how,
		    const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, how->rows, skews->count), count;
	double *values = calloc(skews->process_count + 1, sizeof(*values));
	double weight = sample_weight(skews);
	struct skew *at = NULL;
	struct shapes shapes;
	int err = values ? 0 : no_memory();

	if (!err)
		err = distributions_init(&shapes, skews->paths->run,
					 skews->processes, skews->process_count,
					 0);
	if (err)
		goto out;
	report_table(report, "paths", how->title);
	skew_path_columns(report, skews);
	if (limit > MANY)
		values_keep(skews->paths->run, skews->metric);
	at = find_recoverable(skews, MORE * limit, how, options, values,
			      &count);
	err = at ? 0 : -EIO;
	for (size_t i = 0; at && i < count && i < limit && !err; i++) {
		shapes.least = chance_difference(at[i].max, weight);
		err = table_row(report, skews, &shapes, &at[i], values);
	}
	distributions_fini(&shapes);
out:
	free(at);
	free(values);
	return err;
}
