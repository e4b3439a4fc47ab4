/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-kernels.c - the kernels of GPUs, and the paths that launched them. */
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-tables.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/base/value.h"
#include "base/err.h"

enum {
	ROWS = 20
};

static void work_columns(struct report *report, const char *what)
{
	report_column(report, "count", what, COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "mean", "mean", COLUMN_SECONDS);
	report_column(report, "shortest", "shortest", COLUMN_SECONDS);
	report_column(report, "longest", "longest", COLUMN_SECONDS);
	report_column(report, "delay", "delay", COLUMN_SECONDS);
}

/* Shares are of all the time that GPUs worked. */
static void work_cells(struct report *report, const struct gpu_row *row,
		       double all)
{
	value_cell(report, UNIT_COUNT, row->count);
	report_number(report, row->seconds);
	report_number(report, value_ratio(row->seconds, all));
	report_number(report, value_ratio(row->seconds, row->count));
	value_if_known(report, row->min);
	value_if_known(report, row->max);
	value_known(report,
		    row->queued > 0 ? row->delay / row->queued : NO_VALUE);
}

static void kernel_time_table(struct report *report, const struct paths *paths,
			      const struct gpu_work_rows *work, double all,
			      const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, work->count);
	bool several = paths->run->member_count > 1;

	report_table(report, "kernels", "kernels");
	report_column(report, "kernel", "kernel", COLUMN_TEXT);
	work_columns(report, "launches");
	report_column(report, "skew", several ? "max/mean" : NULL,
		      COLUMN_NUMBER);
	report_column(report, "most",
		      several ? processes_noun(paths->run) : NULL,
		      COLUMN_COUNT);
	for (size_t i = 0; i < limit; i++) {
		const struct gpu_row *row = &work->at[i];

		report_text(report,
			    str_at(&paths->run->strings, row->function));
		work_cells(report, row, all);
		gpu_work_skew(report, paths->run, row->function);
	}
}

static int kernel_path_table(struct report *report, const struct paths *paths,
			     double all, const struct analysis_options *options)
{
	struct gpu_work_rows work;
	size_t limit;
	int err = gpu_work_init(&work, paths, GPU_KERNELS, false);

	if (err)
		return err;
	limit = analysis_limit(options, ROWS, work.count);
	report_table(report, "paths", "launch paths");
	report_column(report, "kernel", NULL, COLUMN_TEXT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "launched_by", NULL, COLUMN_TEXT);
	work_columns(report, "launches");
	for (size_t i = 0; i < limit; i++) {
		report_text(report,
			    str_at(&paths->run->strings, work.at[i].function));
		paths_cell(report, paths, work.at[i].path);
		gpu_launch_cell(report, paths, work.at[i].path);
		work_cells(report, &work.at[i], all);
	}
	err = gpu_balance_table(report, paths, &work, limit);
	gpu_work_fini(&work);
	return err;
}

static void say_kernel_total(struct report *report, const struct run *run,
			     const struct gpu_row *kernels,
			     const struct gpu_row *copies)
{
	char work[32], moved[32], launches[32];

	if (!gpu_unreported_line(report, run) &&
	    kernels->count + copies->count <= 0)
		report_line(report, "No work of GPUs was seen.");
	if (kernels->count + copies->count > 0)
		report_line(report,
			    "%s worked for %s, %.0f copies and memsets for %s; "
			    "work on several streams may overlap.",
			    phrase_many(launches, kernels->count, "launch"),
			    phrase_time(work, kernels->seconds), copies->count,
			    phrase_time(moved, copies->seconds));
}

static int kernel_tables(struct report *report, const struct paths *paths,
			 const struct analysis_options *options)
{
	struct gpu_work_rows kernels, copies = { 0 };
	int err = gpu_work_init(&kernels, paths, GPU_KERNELS, true);
	double all;

	if (!err)
		err = gpu_work_init(&copies, paths, GPU_COPIES, true);
	all = kernels.total.seconds + copies.total.seconds;
	if (!err) {
		say_kernel_total(report, paths->run, &kernels.total,
				 &copies.total);
		kernel_time_table(report, paths, &kernels, all, options);
		err = kernel_path_table(report, paths, all, options);
	}
	if (!err)
		gpu_shapes_table(report, paths->run, options);
	if (!err) {
		gpu_records_table(report, paths->run);
		err = gpu_ranges_table(report, paths->run,
				       analysis_limit(options, ROWS, SIZE_MAX));
	}
	gpu_work_fini(&kernels);
	gpu_work_fini(&copies);
	return err;
}

GPU_ANALYSIS(gpu_kernels, "gpu-kernels",
	     "kernels on GPUs, and the paths that launched them", kernel_tables)
