/* SPDX-License-Identifier: BSD-3-Clause */
/* hotspots.c - where the time went, by function or by line. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/base/confidence.h"
#include "analyse/paths/groups.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/paths/paths.h"
#include "analyse/base/value.h"
#include "base/err.h"

static void hotspot_columns(struct report *report,
			    const struct run_metric *metric)
{
	report_column(report, "function", "function", COLUMN_TEXT);
	report_column(report, "module", NULL, COLUMN_LEFT_TEXT);
	report_column(report, NULL, "place", COLUMN_LEFT_TEXT);
	report_column(report, "file", NULL, COLUMN_LEFT_TEXT);
	report_column(report, "line", NULL, COLUMN_COUNT);
	value_column(report, "exclusive", "exclusive", metric);
	report_column(report, "share", "share", COLUMN_SHARE);
	value_column(report, "inclusive", "inclusive", metric);
	report_column(report, "inclusive_share", "share", COLUMN_SHARE);
	report_column(report, "share_low", NULL, COLUMN_SHARE);
	report_column(report, "share_high", NULL, COLUMN_SHARE);
	report_column(report, "inclusive_low", NULL, COLUMN_SHARE);
	report_column(report, "inclusive_high", NULL, COLUMN_SHARE);
}

/* "solve.c:42", or the module's name when there is no line. */
static void put_hotspot_place(struct report *report, const struct run *run,
			      const struct group *group)
{
	const char *module = str_base(str_at(&run->strings, group->module));
	char *text = paths_place(run, group->file, group->line);

	if (!text && group->kind == RUN_MPI)
		module = "MPI";
	report_text(report, text ? text : module);
	free(text);
}

static void function_row(struct report *report, const struct run *run,
			 const struct run_metric *metric,
			 const struct group *group, double total,
			 double samples)
{
	double own = value_ratio(group->exclusive, total);
	double all = value_ratio(group->inclusive, total);
	struct confidence of_own = confidence_of(own, samples);
	struct confidence of_all = confidence_of(all, samples);
	const char *name = str_at(&run->strings, group->function);

	report_text(report, *name ? name : "(no call path)");
	report_text(report, str_at(&run->strings, group->module));
	put_hotspot_place(report, run, group);
	report_text(report, str_at(&run->strings, group->file));
	value_count(report, group->line ? group->line : NO_VALUE);
	value_cell(report, metric->unit, group->exclusive);
	report_share(report, own, samples > 0 && own > 0 ? of_own.margin : 0);
	value_cell(report, metric->unit, group->inclusive);
	report_number(report, all);
	confidence_cells(report, &of_own, samples);
	confidence_cells(report, &of_all, samples);
}

/* The root and partial paths are no functions unless they hold something. */
static bool is_group_row(const struct group *group)
{
	if (group->kind == RUN_ROOT || group->kind == RUN_PARTIAL)
		return group->exclusive > 0;
	return group->exclusive > 0 || group->inclusive > 0;
}

static void hotspot_table(struct report *report, const struct run *run,
			  const struct run_metric *metric,
			  const struct groups *groups,
			  const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, 20, groups->count), rows = 0;
	double samples = confidence_samples(run, metric);

	report_table(report, "hotspots",
		     options->by_line ? "lines" : "functions");
	hotspot_columns(report, metric);
	for (size_t i = 0; i < groups->count && rows < limit; i++) {
		if (!is_group_row(&groups->at[i]))
			continue;
		function_row(report, run, metric, &groups->at[i], groups->total,
			     samples);
		rows++;
	}
}

static int run_hotspots(struct report **to, const struct run *const runs[],
			const struct analysis_options *options)
{
	const struct run_metric *metric;
	struct groups groups;
	struct report *report;
	int err = analysis_one_run(runs, "hotspots");

	if (err)
		return err;
	metric = analysis_metric(runs[0], options, NULL);
	if (!metric)
		return -EINVAL;
	err = groups_init(&groups, runs[0], metric, options->by_line);
	if (err)
		return err;
	report = analysis_report("hotspots", runs[0], metric);
	if (report) {
		hotspot_table(report, runs[0], metric, &groups, options);
		idle_threads_say(report, runs, metric->name);
		err = report_error(report);
	} else {
		err = no_memory();
	}
	groups_fini(&groups);
	*to = report;
	return err;
}

const struct analysis analysis_hotspots = {
	.name = "hotspots",
	.help = "functions or lines (--by-line) by exclusive value",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE | ANALYSIS_LINES |
		 ANALYSIS_COLLAPSE,
	.run = run_hotspots,
};
