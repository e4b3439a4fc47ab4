/* SPDX-License-Identifier: BSD-3-Clause */
/* analysis.c - the list of analyses (see local.mk), and what they share. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/base/python-words.h"
#include "base/err.h"
#include "base/spelling.h"
#include "live/layout.h"

#define ANALYSIS(name) extern const struct analysis analysis_##name;
#include "analyse/base/analyses.inc"
#undef ANALYSIS

const struct analysis *const analyses[] = {
#define ANALYSIS(name) &analysis_##name,
#include "analyse/base/analyses.inc"
#undef ANALYSIS
	NULL
};

const struct analysis *analysis_find(const char *name)
{
	for (size_t i = 0; analyses[i]; i++)
		if (!strcmp(analyses[i]->name, name))
			return analyses[i];
	return NULL;
}

int analysis_one_run(const struct run *const runs[], const char *analysis)
{
	if (runs[0] && !runs[1])
		return 0;
	return fail(-EINVAL, "%s takes one profile at a time", analysis);
}

struct report *analysis_report(const char *analysis, const struct run *run,
			       const struct run_metric *metric)
{
	char ranks[32], *title = NULL;
	struct report *report = NULL;

	processes_extent(ranks, run);
	title = str_format("%s%s%s · %s · %s", analysis, metric ? " by " : "",
			   metric ? metric->name : "",
			   python_program(processes_command(run)), ranks);
	if (title)
		report = report_new(analysis, title);
	if (report && metric) {
		report->metric = strdup(metric->name);
		report->metric_type = value_type(metric->unit);
		report->failed |= !report->metric;
	}
	if (!report)
		no_memory();
	free(title);
	return report;
}

/*
 * What was sampled; of a program that ended before its first sample, any other
 * time that adds up, and is no part of another one.
 */
static const char *measured_time(const struct run *run)
{
	bool wall = run_metric(run, "wall.time") != NULL;

	for (size_t i = 0; i < run->rank_count && wall; i++)
		if (run->ranks[i].wall == LIVE_WALL_SAMPLED)
			return "wall.time";
	if (run_metric(run, "cpu.time"))
		return "cpu.time";
	for (size_t i = 0; i < run->metric_count; i++)
		if (run->metrics[i].merge == MERGE_SUM &&
		    run->metrics[i].unit == UNIT_NS &&
		    strcmp(run->metrics[i].name,
			   metric_infos[METRIC_GPU_AWAITED].name) != 0)
			return run->metrics[i].name;
	return "cpu.time";
}

const struct run_metric *analysis_metric(const struct run *run,
					 const struct analysis_options *options,
					 const char *preferred)
{
	const char *name = options->metric ? options->metric
			   : preferred     ? preferred
					   : measured_time(run);
	const struct run_metric *metric = run_metric(run, name);
	char known[400] = "";
	struct spelling near;
	size_t used = 0;

	if (metric && metric->merge != MERGE_SUM) {
		fail(-EINVAL,
		     "'%s' is an extreme of single calls; only mpi-calls sorts "
		     "by it",
		     name);
		return NULL;
	}
	if (metric)
		return metric;
	spelling_begin(&near, name);
	for (size_t i = 0; i < run->metric_count; i++) {
		spelling_try(&near, run->metrics[i].name);
		if (used < sizeof(known) - 1)
			used += (size_t)snprintf(
				known + used, sizeof(known) - used, "%s%s",
				i ? ", " : "", run->metrics[i].name);
	}
	fail(-EINVAL, "no metric '%s' in this profile%s it has %s", name,
	     spelling_hint(&near), used ? known : "none");
	return NULL;
}

size_t analysis_limit(const struct analysis_options *options, size_t own,
		      size_t count)
{
	size_t limit = options->limit ? options->limit : own;

	return limit < count ? limit : count;
}
