/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-host.c - what a step of the program goes into: the work of GPUs, and what
 * the host does while they have none.
 */
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/awaited-work.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/gpu/gpu-workers.h"
#include "analyse/gpu/host-bound.h"
#include "base/err.h"

/* Of host and GPU a step, and as graphs: for programs. */
static void host_step_columns(struct report *report)
{
	static const struct {
		const char *id;
		enum column_type type;
	} columns[] = {
		{ "by", COLUMN_TEXT },
		{ "name", COLUMN_TEXT },
		{ "steps", COLUMN_NUMBER },
		{ "step", COLUMN_SECONDS },
		{ "step_busy", COLUMN_SECONDS },
		{ "seconds", COLUMN_SECONDS },
		{ "idle", COLUMN_SECONDS },
		{ "bound", COLUMN_COUNT },
		{ "graph", COLUMN_SECONDS },
		{ "graph_most", COLUMN_SECONDS },
		{ "launches", COLUMN_NUMBER },
		{ "waits", COLUMN_NUMBER },
	};

	report_table(report, "step", NULL);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		report_column(report, columns[i].id, NULL, columns[i].type);
}

static void host_step_row(struct report *report, const struct host_bound *b)
{
	static const char *const by[] = { "none", "ranges", "iterations",
					  "calls" };
	double count = b->steps.count;

	report_text(report, by[b->steps.source]);
	report_text(report, b->steps.name);
	value_known(report, count > 0 ? count : NO_VALUE);
	value_known(report, count > 0 ? b->steps.seconds : NO_VALUE);
	value_known(report, count > 0 ? b->steps.work : NO_VALUE);
	report_number(report, b->seconds);
	report_number(report, b->idle);
	report_count(report, b->bound);
	report_number(report, b->graph);
	report_number(report, b->graph_most);
	report_number(report, b->kernels);
	report_number(report, b->waits);
}

static void host_part_columns(struct report *report, bool steps)
{
	report_table(report, "host",
		     "what the host did while GPUs had no work");
	report_column(report, "part", "host", COLUMN_TEXT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "of idle", COLUMN_SHARE);
	report_column(report, "each", steps ? "of each" : NULL, COLUMN_SECONDS);
	report_column(report, "launching", "to launch", COLUMN_SECONDS);
	report_column(report, "mostly", "mostly in", COLUMN_TEXT);
	report_column(report, "there", "there", COLUMN_SHARE);
}

static void host_part_table(struct report *report, const struct paths *paths,
			    const struct host_bound *b)
{
	host_part_columns(report, b->steps.count > 0);
	for (size_t i = 0; i < HOST_PARTS; i++) {
		const struct host_share *s = &b->parts.at[i];
		char *place = host_share_place(paths, s);

		report->failed |= !place;
		if (s->seconds > 0) {
			report_text(report, host_part_infos[s->part].title);
			report_number(report, s->seconds);
			report_number(report, value_ratio(s->seconds,
							  b->parts.seconds));
			report_number(
				report,
				host_bound_step(b, s->seconds / b->processes));
			report_number(report, s->launching);
			report_text(report, place && *place ? place : NULL);
			report_number(report,
				      value_ratio(s->at_path, s->seconds));
		}
		free(place);
	}
}

static void say_host(struct report *report, const struct paths *paths,
		     const struct host_bound *b)
{
	char *step = host_bound_step_text(b);
	char *parts = host_bound_parts_text(b, paths);
	char graph[32], most[32];

	report->failed |= !step || !parts;
	if (step && parts)
		report_line(report, "%s%s%s%s.",
			    b->bound ? "Bound by the host: " : "In the mean ",
			    step, *parts ? "; the host meanwhile: " : "",
			    parts);
	if (b->kernels > 0 && b->graph < b->seconds)
		report_line(
			report,
			"As CUDA graphs %s would take about %s, %s if only "
			"the calls that launch went away.",
			host_bound_unit(b),
			phrase_time(graph, host_bound_step(b, b->graph)),
			phrase_time(most, host_bound_step(b, b->graph_most)));
	free(step);
	free(parts);
}

static int fill_gpu_host(struct report *report, const struct paths *paths,
			 const struct analysis_options *options)
{
	struct host_bound b;
	struct awaited_works works = { 0 };
	struct gpu_workers workers = { 0 };
	char *waits = NULL, *text = NULL;
	int err = host_bound_of(&b, paths);

	(void)options;
	if (err)
		return err;
	host_step_columns(report);
	if (!b.known) {
		report_line(report, "No GPU was used, several processes share "
				    "one, or its times are not known.");
		return 0;
	}
	err = awaited_works_init(&works, paths);
	if (!err)
		err = gpu_workers_of(&workers, paths);
	if (!err) {
		waits = awaited_works_text(paths, &works);
		text = gpu_workers_text(&workers, paths);
		report->failed |= !waits || !text;
		say_host(report, paths, &b);
	}
	if (waits && *waits)
		report_line(report, "The program %s.", waits);
	if (text && *text)
		report_line(report, "Beside it %s.", text);
	if (!err) {
		host_step_row(report, &b);
		host_part_table(report, paths, &b);
	}
	awaited_works_fini(&works);
	free(waits);
	free(text);
	return err;
}

GPU_ANALYSIS(gpu_host, "gpu-host",
	     "what a step goes into: work of GPUs, and of the host",
	     fill_gpu_host)
