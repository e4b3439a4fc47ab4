/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - parallel regions of OpenMP: what their threads did in them. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/findings.h"
#include "analyse/gil.h"
#include "analyse/lock-waits.h"
#include "analyse/omp-regions.h"
#include "analyse/paths.h"
#include "analyse/phrase.h"
#include "analyse/value.h"
#include "base/err.h"

#define CROWDED 0.1 /* of the time: waiting is in part for cores */

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
	report_column(report, "late", NULL, COLUMN_SECONDS);
	report_column(report, "waited_for", "waited for", COLUMN_TEXT);
	report_column(report, "which_was_in", "in", COLUMN_TEXT);
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
	report_number(report, omp_region_waited(r) - r->at[OMP_BARRIER]);
	report_number(report, r->at[OMP_BARRIER]);
	report_number(report, r->at[OMP_LATE]);
	report_text(report, omp_region_culprit(r));
	report_text(report, in && *in ? in : NULL);
	report_number(report, value_ratio(omp_region_waited(r), threads));
	free(within);
	free(in);
}

static void say_all_regions(struct report *report,
			    const struct omp_regions *all)
{
	double work = 0, barrier = 0, regions = 0;
	char count[32];

	for (size_t i = 0; i < all->count; i++) {
		work += all->at[i].at[OMP_WORK];
		barrier += all->at[i].at[OMP_BARRIER];
		regions += all->at[i].at[OMP_REGIONS];
	}
	if (!all->time) {
		report_line(report,
			    "No parallel regions: they are known of programs "
			    "with OpenMP, by copse run --openmp=on.");
		return;
	}
	report_line(report,
		    "In %s the threads spent %.1f %% of their time in work, "
		    "%.1f %% in barriers and critical sections within, %.1f %% "
		    "until all had come to the end.",
		    phrase_many(count, regions, "parallel region"),
		    100 * work / all->time, 100 * barrier / all->time,
		    100 * (all->time - work - barrier) / all->time);
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
	if (crowded_share(paths->run) >= CROWDED)
		findings_crowded(report, paths->run);
	else
		omp_regions_say(report, paths, all);
	omp_columns(report);
	for (size_t i = 0; i < all->count && i < limit; i++)
		if (all->at[i].at[OMP_TIME] > 0)
			omp_row(report, paths, &all->at[i]);
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
	if (!err)
		err = lock_table_put(*to, &paths,
				     analysis_limit(options, 10, SIZE_MAX));
	if (!err) {
		gil_table(*to, runs[0]);
		err = report_error(*to);
	}
	paths_fini(&paths);
	omp_regions_fini(&all);
	return err;
}

const struct analysis analysis_threads = {
	.name = "threads",
	.help = "waiting of threads: regions of OpenMP, locks, Python's GIL",
	.run = run_threads,
};
