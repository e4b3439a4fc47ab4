/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - parallel regions of OpenMP: what their threads did in them. */
#include <stdio.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/split/cpu-contention.h"
#include "analyse/base/report.h"
#include "analyse/threads/thread-waits.h"
#include "analyse/threads/lock-waits.h"
#include "analyse/threads/omp-regions.h"
#include "analyse/paths/paths.h"
#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/err.h"

#define CROWDED      0.1  /* of the time: waiting is in part for cores */
#define WORTH_A_WORD 0.05 /* of the elapsed time, outside regions */

static void omp_columns(struct report *report)
{
	report_table(report, "regions", "parallel regions");
	report_column(report, "region", "region", COLUMN_TEXT);
	report_column(report, "within", "within", COLUMN_LEFT_TEXT);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "threads", "threads", COLUMN_NUMBER);
	report_column(report, "elapsed", "elapsed", COLUMN_SECONDS);
	report_column(report, "efficiency", "efficiency", COLUMN_SHARE);
	report_column(report, "work", NULL, COLUMN_SECONDS);
	report_column(report, "end_wait", "end wait", COLUMN_SECONDS);
	report_column(report, "barrier_wait", "in barriers", COLUMN_SECONDS);
	report_column(report, "lock_wait", "for locks", COLUMN_SECONDS);
	report_column(report, "idle", NULL, COLUMN_SECONDS);
	report_column(report, "late", NULL, COLUMN_SECONDS);
	report_column(report, "waited_for", "waited for", COLUMN_TEXT);
	report_spare(report);
	report_column(report, "which_was_in", "in", COLUMN_TEXT);
	report_spare(report);
	report_column(report, "recoverable", "recoverable", COLUMN_SECONDS);
}

static void omp_row(struct report *report, const struct paths *paths,
		    const struct omp_region *r)
{
	const struct run *run = paths->run;
	const struct run_node *n = &run->nodes[r->node];
	char *within = paths_short(paths, paths->of[n->parent], 2);
	char *in = omp_region_culprit_in(r, paths);
	double threads = omp_region_threads(r);

	report_text(report, str_at(&run->strings, n->function));
	report_text(report, within);
	report_count(report, (uint64_t)r->at[OMP_REGIONS]);
	report_number(report, threads);
	report_number(report, value_ratio(r->at[OMP_TIME], threads));
	report_number(report, value_ratio(r->at[OMP_WORK], r->at[OMP_TIME]));
	report_number(report, r->at[OMP_WORK]);
	report_number(report, omp_region_end_wait(r));
	report_number(report, r->at[OMP_BARRIER]);
	report_number(report, r->at[OMP_LOCK]);
	report_none(report);
	report_number(report, r->at[OMP_LATE]);
	report_text(report, omp_region_culprit(r));
	report_text(report, in && *in ? in : NULL);
	report_number(report, value_ratio(omp_region_waited(r), threads));
	free(within);
	free(in);
}

/* One thread has work there, so the others have none. */
static void outside_row(struct report *report, const struct paths *paths,
			const struct omp_regions *all)
{
	double threads =
		value_ratio(all->outermost.time, all->outermost.elapsed);
	char *in =
		all->outside_in ? paths_short(paths, all->outside_in, 2) : NULL;

	report_text(report, "outside regions");
	report_text(report, in);
	report_none(report);
	report_number(report, threads);
	report_number(report, all->outside);
	report_number(report, value_ratio(1, threads));
	report_number(report, all->outside);
	report_none(report);
	report_none(report);
	report_none(report);
	report_number(report, all->outside * (threads - 1));
	report_none(report);
	report_text(report, NULL);
	report_text(report, NULL);
	report_number(report, (all->outside - all->outside_mpi) *
				      (1 - value_ratio(1, threads)));
	free(in);
}

static void say_outside(struct report *report, const struct paths *paths,
			const struct omp_regions *all)
{
	double elapsed = all->outside + all->outermost.elapsed;
	double threads =
		value_ratio(all->outermost.time, all->outermost.elapsed);
	char in_mpi[48] = "", *in;

	if (threads < 1.5 || all->outside < WORTH_A_WORD * elapsed)
		return;
	if (all->outside_mpi > WORTH_A_WORD * elapsed)
		snprintf(in_mpi, sizeof(in_mpi),
			 ", %.0f %% in MPI, its start counted",
			 100 * all->outside_mpi / elapsed);
	in = all->outside_in ? paths_short(paths, all->outside_in, 2) : NULL;
	report_line(report,
		    "• %.0f %% of the elapsed time was outside regions%s%s%s: "
		    "%.1f of %.1f threads had no work there.",
		    100 * all->outside / elapsed, in_mpi,
		    !in       ? ""
		    : *in_mpi ? ", of the rest most in "
			      : ", most in ",
		    in ? in : "", threads - 1, threads);
	free(in);
}

static void say_all_regions(struct report *report,
			    const struct omp_regions *all)
{
	double work = 0, barrier = 0, lock = 0, regions = 0;
	char count[32];

	for (size_t i = 0; i < all->count; i++) {
		work += all->at[i].at[OMP_WORK];
		barrier += all->at[i].at[OMP_BARRIER];
		lock += all->at[i].at[OMP_LOCK];
		regions += all->at[i].at[OMP_REGIONS];
	}
	if (!all->time)
		return;
	report_line(report,
		    "In %s the threads spent %.1f %% of their time in work, "
		    "%.1f %% in barriers within, %.1f %% for locks and "
		    "critical sections, %.1f %% until all had come to the end.",
		    phrase_many(count, regions, "parallel region"),
		    100 * work / all->time, 100 * barrier / all->time,
		    100 * lock / all->time,
		    100 * (all->time - work - barrier - lock) / all->time);
}

/* No note if only locks were measured. */
static void say_no_regions(struct report *report, const struct run *run)
{
	if (!report->line_count && !run_metric(run, "lock.wait") &&
	    !run_metric(run, "sync.wait"))
		report_line(report,
			    "No parallel regions: they are known of programs "
			    "with OpenMP, unless copse run --openmp=off.");
}

static struct report *report_regions(const struct paths *paths,
				     const struct omp_regions *all,
				     const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, 20, all->count);
	struct report *report = analysis_report("threads", paths->run, NULL);

	if (!report)
		return NULL;
	say_all_regions(report, all);
	/* Threads that lack a core wait for those that have one. */
	if (contention_share(paths->run) >= CROWDED)
		contention_findings(report, paths->run);
	else
		omp_regions_say(report, paths, all);
	if (all->time > 0)
		say_outside(report, paths, all);
	omp_columns(report);
	for (size_t i = 0; i < all->count && i < limit; i++)
		if (all->at[i].at[OMP_TIME] > 0)
			omp_row(report, paths, &all->at[i]);
	if (all->time > 0)
		outside_row(report, paths, all);
	return report;
}

static int run_threads(struct report **to, const struct run *const runs[],
		       const struct analysis_options *options)
{
	struct omp_regions all = { 0 };
	struct paths paths;
	int err = analysis_one_run(runs, "threads");

	if (err)
		return err;
	err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	err = omp_regions_find(&all, &paths);
	if (!err)
		*to = report_regions(&paths, &all, options);
	if (!err && !*to)
		err = no_memory();
	if (!err)
		err = lock_table_say(*to, &paths);
	if (!err)
		err = gil_say(*to, &paths);
	if (!err && !all.time)
		say_no_regions(*to, runs[0]);
	if (!err)
		err = lock_table_put(*to, &paths,
				     analysis_limit(options, 10, SIZE_MAX));
	if (!err) {
		gil_table(*to, runs[0]);
		err = thread_kinds_put(*to, &paths,
				       analysis_limit(options, 20, SIZE_MAX));
		if (!err)
			err = thread_strips_put(
				*to, runs[0],
				analysis_limit(options, 24, SIZE_MAX));
	}
	if (!err)
		err = report_error(*to);
	paths_fini(&paths);
	omp_regions_fini(&all);
	return err;
}

const struct analysis analysis_threads = {
	.name = "threads",
	.help = "threads: regions of OpenMP, locks, Python's GIL, names",
	.run = run_threads,
};
