/* SPDX-License-Identifier: BSD-3-Clause */
/* imbalance.c - which call paths and which processes took longer than others.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/base/elapsed.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/ranks/path-imbalance.h"
#include "analyse/split/time-split.h"
#include "base/err.h"
#include "run/path-sums.h"

static void imbalance_rank_columns(struct report *report, const struct run *run,
				   const struct run_metric *metric)
{
	bool mpi = run->world;

	report_column(report, "rank", mpi ? "rank" : NULL, COLUMN_COUNT);
	report_column(report, "pid", mpi ? NULL : "process", COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "threads", "threads", COLUMN_COUNT);
	report_column(report, "elapsed", "elapsed", COLUMN_SECONDS);
	report_column(report, "cpu", "CPU", COLUMN_SECONDS);
	mpi = run_has_mpi(run);
	report_column(report, "useful", mpi ? "useful" : NULL, COLUMN_SECONDS);
	report_column(report, "mpi", mpi ? "MPI" : NULL, COLUMN_SECONDS);
	report_column(report, "mpi_share", mpi ? "share" : NULL, COLUMN_SHARE);
	report_column(report, "samples", NULL, COLUMN_COUNT);
	report_column(report, "value", NULL, value_type(metric->unit));
	report_column(report, NULL, metric->name, COLUMN_BAR);
}

static void imbalance_rank_row(struct report *report, const struct run *run,
			       const struct time_split *split, size_t index)
{
	const struct run_rank *r = &run->ranks[index];

	if (r->rank >= 0 && !run_is_other_job(r))
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
		report_number(report, time_split_mpi(split, index));
	} else {
		report_none(report);
		report_none(report);
		report_none(report);
	}
	report_count(report, r->samples);
}

/* Each process's total of the metric; to be freed, NULL with a reason. */
static uint64_t *process_totals(const struct run *run,
				const struct run_metric *m)
{
	uint64_t *sum = calloc(run->rank_count + 1, sizeof(*sum));

	if (!sum)
		no_memory();
	if (sum && path_totals(run, m, sum)) {
		free(sum);
		return NULL;
	}
	return sum;
}

static int imbalance_rank_table(struct report *report, const struct run *run,
				const struct run_metric *metric)
{
	uint64_t *sum = process_totals(run, metric), most = 0;
	struct time_split split = { 0 };

	if (!sum || time_split_init(&split, run)) {
		free(sum);
		return -EIO;
	}
	for (size_t i = 0; i < run->rank_count; i++)
		if (sum[i] > most)
			most = sum[i];
	report_table(report, "ranks", run->world ? "ranks" : "processes");
	imbalance_rank_columns(report, run, metric);
	for (size_t i = 0; i < run->rank_count; i++) {
		imbalance_rank_row(report, run, &split, i);
		value_cell(report, metric->unit,
			   value_of(metric->unit, (double)sum[i]));
		report_number(report,
			      value_ratio((double)sum[i], (double)most));
	}
	time_split_fini(&split);
	free(sum);
	return 0;
}

/* What there is to compare at all. */
static int say_imbalance(struct report *report, const struct run *run,
			 size_t count)
{
	bool same = true;
	int err = run->world ? 0 : elapsed_of_same_work(&same, run);

	if (count < 2)
		report_line(report, "One process: there is nothing to "
				    "compare.");
	else if (!run->world && !elapsed_together(run))
		report_line(report,
			    "The processes did not all run at the same time: "
			    "an even load saves CPU time (recoverable), but "
			    "does not shorten the run.");
	else if (!same)
		report_line(report,
			    "The processes have several command lines, or one "
			    "started others: they may do different things, so "
			    "an uneven load need not be a fault.");
	return err;
}

static int run_imbalance(struct report **to, const struct run *const runs[],
			 const struct analysis_options *options)
{
	static const struct imbalance_table how = {
		.title = "call paths, with what they call", .rows = 20
	};
	const struct run_metric *metric;
	struct paths paths = { 0 };
	struct skews skews = { 0 };
	int err = analysis_one_run(runs, "imbalance");

	if (err)
		return err;
	metric = analysis_metric(runs[0], options, NULL);
	if (!metric)
		return -EINVAL;
	err = paths_init(&paths, runs[0]);
	if (!err)
		err = imbalance_init(&skews, &paths, metric);
	if (err)
		goto out;
	*to = analysis_report("imbalance", runs[0], metric);
	err = *to ? imbalance_table(*to, &skews, &how, options) : -ENOMEM;
	if (!err)
		err = imbalance_rank_table(*to, runs[0], metric);
	if (!err) {
		jobs_findings(*to, runs[0]);
		err = say_imbalance(*to, runs[0], skews.process_count);
		idle_threads_say(*to, runs, metric->name);
		err = err ? err : report_error(*to);
	}
out:
	imbalance_fini(&skews);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_imbalance = {
	.name = "imbalance",
	.help = "call paths that differ between ranks, and a line per rank",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE,
	.run = run_imbalance,
};
