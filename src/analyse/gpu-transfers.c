/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-transfers.c - what was copied to, from and within GPUs, by whom, and how
 * fast.
 */
#include <errno.h>
#include <string.h>

#include "analyse/gpu-work.h"
#include "analyse/value.h"
#include "base/err.h"

enum {
	ROWS = 20
};

static const struct copy {
	const char *name, *kind, *memory;
} copies[] = {
#define COPY(kind, memory, name, short_, of) { name, short_, of },
#include "live/copies.def"
#undef COPY
};

/* By its name; what is not known is called as it is. */
static struct copy copy_of(const char *name)
{
	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++)
		if (!strcmp(copies[i].name, name))
			return copies[i];
	return (struct copy){ name, name, "" };
}

static void begin_columns(struct report *report)
{
	report_column(report, "kind", "kind", COLUMN_TEXT);
	report_column(report, "memory", "host's memory", COLUMN_TEXT);
}

static void transfer_columns(struct report *report)
{
	report_column(report, "count", "count", COLUMN_COUNT);
	report_column(report, "bytes", "bytes", COLUMN_BYTES);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "bandwidth", "per second", COLUMN_BYTES);
}

static void begin_cells(struct report *report, const struct run *run,
			const struct gpu_row *row)
{
	struct copy copy = copy_of(str_at(&run->strings, row->function));

	report_text(report, copy.kind);
	report_text(report, *copy.memory ? copy.memory : NULL);
}

/* Shares are of the time of all transfers. */
static void transfer_cells(struct report *report, const struct gpu_row *row,
			   double all)
{
	value_cell(report, UNIT_COUNT, row->count);
	value_cell(report, UNIT_BYTES, row->bytes);
	report_number(report, row->seconds);
	report_number(report, value_ratio(row->seconds, all));
	if (row->seconds > 0)
		value_cell(report, UNIT_BYTES, row->bytes / row->seconds);
	else
		report_none(report);
}

static void kind_table(struct report *report, const struct paths *paths,
		       const struct gpu_work *work,
		       const struct analysis_options *options)
{
	const struct run *run = paths->run;
	size_t limit = value_limit(options, ROWS, work->count);
	bool several = run->member_count > 1;

	report_table(report, "kinds", "by kind");
	begin_columns(report);
	transfer_columns(report);
	report_column(report, "delay", "delay", COLUMN_SECONDS);
	report_column(report, "skew", several ? "max/mean" : NULL,
		      COLUMN_NUMBER);
	report_column(report, "most", several ? value_noun(run) : NULL,
		      COLUMN_COUNT);
	for (size_t i = 0; i < limit; i++) {
		const struct gpu_row *row = &work->at[i];

		begin_cells(report, run, row);
		transfer_cells(report, row, work->total.seconds);
		if (row->queued > 0)
			report_number(report, row->delay / row->queued);
		else
			report_none(report);
		gpu_work_skew(report, run, row->function);
	}
}

/* The path of a copy ends in its kind, which has a column of its own. */
static void path_table(struct report *report, const struct paths *paths,
		       const struct gpu_work *work,
		       const struct analysis_options *options)
{
	size_t limit = value_limit(options, ROWS, work->count);

	report_table(report, "paths", "by call path");
	begin_columns(report);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	transfer_columns(report);
	for (size_t i = 0; i < limit; i++) {
		const struct gpu_row *row = &work->at[i];

		begin_cells(report, paths->run, row);
		paths_cell(report, paths, paths->at[row->path].parent);
		transfer_cells(report, row, work->total.seconds);
	}
}

static void say_total(struct report *report, const struct gpu_row *total)
{
	char time[32];

	if (total->count <= 0)
		report_line(report, "No copies of GPUs were seen.");
	else
		report_line(report,
			    "%.0f copies and memsets took %s; those of several "
			    "streams may overlap.",
			    total->count, value_time(time, total->seconds));
}

static int tables(struct report *report, const struct paths *paths,
		  const struct analysis_options *options)
{
	struct gpu_work by_kind, by_path = { 0 };
	int err = gpu_work_init(&by_kind, paths, GPU_COPIES, true);

	if (!err)
		err = gpu_work_init(&by_path, paths, GPU_COPIES, false);
	if (!err) {
		say_total(report, &by_kind.total);
		kind_table(report, paths, &by_kind, options);
		path_table(report, paths, &by_path, options);
	}
	gpu_work_fini(&by_kind);
	gpu_work_fini(&by_path);
	return err;
}

static int run_gpu_transfers(struct report **to, const struct run *const runs[],
			     const struct analysis_options *options)
{
	struct paths paths;
	int err = value_one_run(runs, "gpu-transfers");

	if (!err)
		err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	*to = value_report("gpu-transfers", runs[0], NULL);
	err = *to ? tables(*to, &paths, options) : -ENOMEM;
	if (!err)
		err = report_error(*to);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_gpu_transfers = {
	.name = "gpu-transfers",
	.help = "copies and memsets of GPUs by kind and path, and how fast",
	.run = run_gpu_transfers,
};
