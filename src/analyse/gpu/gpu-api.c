/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-api.c - calls of CUDA by function and by path, and how they failed. */
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/awaited-work.h"
#include "analyse/gpu/gpu-work.h"
#include "base/err.h"

enum {
	ROWS = 30
};

static void call_table(struct report *report, const struct paths *paths,
		       const struct gpu_work_rows *work, bool by_name,
		       const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, work->count);

	report_table(report, by_name ? "functions" : "sites",
		     by_name ? "functions" : "call paths");
	report_column(report, by_name ? "function" : "call_path",
		      by_name ? "function" : "call path", COLUMN_TEXT);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "mean", "mean", COLUMN_SECONDS);
	report_column(report, "shortest", "shortest", COLUMN_SECONDS);
	report_column(report, "longest", "longest", COLUMN_SECONDS);
	report_column(report, "waited", "waited", COLUMN_SECONDS);
	report_column(report, "failed", "failed", COLUMN_COUNT);
	for (size_t i = 0; i < limit; i++) {
		const struct gpu_row *row = &work->at[i];

		if (by_name)
			report_text(report, str_at(&paths->run->strings,
						   row->function));
		else
			paths_cell(report, paths, row->path);
		value_cell(report, UNIT_COUNT, row->count);
		report_number(report, row->seconds);
		report_number(report,
			      value_ratio(row->seconds, work->total.seconds));
		report_number(report, value_ratio(row->seconds, row->count));
		value_if_known(report, row->min);
		value_if_known(report, row->max);
		value_if_known(report, row->waited);
		value_cell(report, UNIT_COUNT, row->failed);
	}
}

static int cuda_calls(struct report *report, const struct paths *paths,
		      bool by_name, const struct analysis_options *options)
{
	struct gpu_work_rows work;
	int err = gpu_work_init(&work, paths, GPU_CALLS, by_name);

	if (err)
		return err;
	if (by_name && !work.count)
		report_line(report, "No calls of CUDA were seen.");
	call_table(report, paths, &work, by_name, options);
	gpu_work_fini(&work);
	return 0;
}

static int failed_calls(struct report *report, const struct paths *paths,
			const struct analysis_options *options)
{
	struct gpu_work_rows work;
	size_t limit;
	int err = gpu_work_init(&work, paths, GPU_ERRORS, false);

	if (err)
		return err;
	limit = analysis_limit(options, ROWS, work.count);
	if (limit) {
		report_table(report, "failures", "calls that failed");
		report_column(report, "function", NULL, COLUMN_TEXT);
		report_column(report, "error", NULL, COLUMN_TEXT);
		report_column(report, "call_path", "call path", COLUMN_TEXT);
		report_column(report, "calls", "calls", COLUMN_COUNT);
	}
	for (size_t i = 0; i < limit; i++) {
		report_text(report,
			    str_at(&paths->run->strings, work.at[i].call));
		report_text(report,
			    str_at(&paths->run->strings, work.at[i].function));
		paths_cell(report, paths, work.at[i].path);
		value_cell(report, UNIT_COUNT, work.at[i].failed);
	}
	gpu_work_fini(&work);
	return 0;
}

static int awaited_calls(struct report *report, const struct paths *paths,
			 const struct analysis_options *options)
{
	struct awaited_works works;
	int err = awaited_works_init(&works, paths);

	if (!err)
		awaited_works_table(report, paths, &works,
				    analysis_limit(options, ROWS, works.count));
	awaited_works_fini(&works);
	return err;
}

static int fill_gpu_api(struct report *report, const struct paths *paths,
			const struct analysis_options *options)
{
	int err = cuda_calls(report, paths, true, options);

	if (!err)
		err = cuda_calls(report, paths, false, options);
	if (!err)
		err = awaited_calls(report, paths, options);
	if (!err)
		err = failed_calls(report, paths, options);
	return err;
}

GPU_ANALYSIS(gpu_api, "gpu-api",
	     "calls of CUDA by function and path, and how they failed",
	     fill_gpu_api)
