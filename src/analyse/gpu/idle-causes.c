/* SPDX-License-Identifier: BSD-3-Clause */
/* idle-causes.c - what processes did while their GPUs had nothing to do. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/gpu-work.h"
#include "base/err.h"
#include "base/comparison.h"
#include "live/layout.h"

#define SMALL 0.001 /* of the time: no row for it */

enum {
	ROWS = 20
};

struct idle_cause {
	uint32_t path;
	double seconds;
};

ORDER_BY(by_idle_seconds, struct idle_cause, DESC(seconds) ?: ASC(path))

/* The paths with idle time, the longest first; to be freed. */
static struct idle_cause *find_causes(const struct paths *paths, size_t *count)
{
	const struct run_metric *m =
		run_metric(paths->run, metric_infos[METRIC_GPU_IDLE].name);
	double *of = calloc(paths->count + 1, sizeof(*of));
	struct idle_cause *causes = calloc(paths->count + 1, sizeof(*causes));

	*count = 0;
	if (of && causes && m) {
		paths_values(paths, m, of, NULL);
		for (uint32_t i = 0; i < paths->count; i++)
			if (of[i] > 0)
				causes[(*count)++] =
					(struct idle_cause){ i, of[i] };
		qsort(causes, *count, sizeof(*causes), by_idle_seconds);
	}
	free(of);
	if (causes && of)
		return causes;
	free(causes);
	no_memory();
	return NULL;
}

/* Time without a path. */
static void plain_row(struct report *report, const char *what, double seconds,
		      const struct gpu_busy *b)
{
	if (seconds <= SMALL * b->run)
		return;
	report_text(report, what);
	report_none(report);
	report_number(report, seconds);
	report_number(report, value_ratio(seconds, b->run));
}

static int cause_table(struct report *report, const struct paths *paths,
		       const struct gpu_busy *b,
		       const struct analysis_options *options)
{
	size_t count, limit;
	struct idle_cause *causes = find_causes(paths, &count);

	if (!causes)
		return -ENOMEM;
	limit = analysis_limit(options, ROWS, count);
	report_table(report, "idle", "while GPUs had nothing to do");
	report_column(report, "cause", "in", COLUMN_TEXT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "of run", COLUMN_SHARE);
	plain_row(report, "(before the first work)", b->before, b);
	for (size_t i = 0; i < limit; i++) {
		const struct path *p = &paths->at[causes[i].path];

		report_text(report, paths_function(paths->run, p->node));
		paths_cell(report, paths, causes[i].path);
		report_number(report, causes[i].seconds);
		report_number(report,
			      fmin(value_ratio(causes[i].seconds, b->run), 1));
	}
	plain_row(report, "(after the last work)", b->after, b);
	plain_row(report, "(not known)", b->unknown, b);
	free(causes);
	return 0;
}

static int say_cause(struct report *report, const struct paths *paths,
		     const struct gpu_busy *b)
{
	uint32_t path;
	double seconds;
	char *text, *called, time[32];
	int err = gpu_idle_cause(paths, &path, &seconds);

	if (err || seconds <= 0 || b->idle <= 0)
		return err;
	text = paths_short(paths, path, UINT_MAX);
	called = gpu_idle_called(paths, path, b->idle);
	report->failed |= !text || !called;
	if (text && called)
		report_line(report,
			    "%s of the time with a known cause, %s (%.0f "
			    "%%%s): %s.",
			    phrase_most_begins(value_ratio(seconds, b->idle)),
			    phrase_time(time, seconds),
			    100 * fmin(value_ratio(seconds, b->idle), 1),
			    called, text);
	free(called);
	free(text);
	return 0;
}

static int fill_idle_causes(struct report *report, const struct paths *paths,
			    const struct analysis_options *options)
{
	struct gpu_busy b = gpu_busy_of(paths->run);
	double idle = b.between;
	char time[32], start[32], but[64] = "";
	int err;

	if (b.startup > SMALL * b.run)
		snprintf(but, sizeof(but), ", but %s of start-up",
			 phrase_time(start, b.startup));
	if (b.processes)
		report_line(report,
			    "GPUs had nothing to do for %s, %.0f %% of the "
			    "time from the first to the last work of each "
			    "process%s.",
			    phrase_time(time, idle),
			    100 * value_ratio(idle, idle + b.work), but);
	else
		report_line(report,
			    "No GPU was used, or its times are not known.");
	err = say_cause(report, paths, &b);
	if (!err)
		err = cause_table(report, paths, &b, options);
	return err;
}

GPU_ANALYSIS(idle_causes, "gpu-idle",
	     "what processes did while their GPUs had nothing to do",
	     fill_idle_causes)
