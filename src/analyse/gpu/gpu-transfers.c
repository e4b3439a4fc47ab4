/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-transfers.c - what was copied to, from and within GPUs, by whom, and how
 * fast.
 */
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "live/layout.h"

enum {
	ROWS = 20,
	DEVICES = 64 /* of a host */
};

static const struct copy {
	const char *name, *kind, *memory;
} copies[] = {
#define COPY(kind, memory, name, short_, of) { name, short_, of },
#include "live/copies.def"
#undef COPY
};

/* By its name; what is not known is called as it is. */
static struct copy transfer_named(const char *name)
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
	struct copy copy = transfer_named(str_at(&run->strings, row->function));

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
	value_count(report,
		    row->seconds > 0 ? row->bytes / row->seconds : NO_VALUE);
}

static void copy_kind_table(struct report *report, const struct paths *paths,
			    const struct gpu_work_rows *work,
			    const struct analysis_options *options)
{
	const struct run *run = paths->run;
	size_t limit = analysis_limit(options, ROWS, work->count);
	bool several = run->member_count > 1;

	report_table(report, "kinds", "by kind");
	begin_columns(report);
	transfer_columns(report);
	report_column(report, "delay", "delay", COLUMN_SECONDS);
	report_column(report, "skew", several ? "max/mean" : NULL,
		      COLUMN_NUMBER);
	report_column(report, "most", several ? processes_noun(run) : NULL,
		      COLUMN_COUNT);
	for (size_t i = 0; i < limit; i++) {
		const struct gpu_row *row = &work->at[i];

		begin_cells(report, run, row);
		transfer_cells(report, row, work->total.seconds);
		value_known(report, row->queued > 0 ? row->delay / row->queued
						    : NO_VALUE);
		gpu_work_skew(report, run, row->function);
	}
}

/* The path of a copy ends in its kind, which has a column of its own. */
static void copy_path_table(struct report *report, const struct paths *paths,
			    const struct gpu_work_rows *work,
			    const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, work->count);

	report_table(report, "paths", "by call path");
	begin_columns(report);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "launched_by", NULL, COLUMN_TEXT);
	transfer_columns(report);
	for (size_t i = 0; i < limit; i++) {
		const struct gpu_row *row = &work->at[i];

		begin_cells(report, paths->run, row);
		paths_cell(report, paths, paths->at[row->path].parent);
		gpu_launch_cell(report, paths, row->path);
		transfer_cells(report, row, work->total.seconds);
	}
}

/* What moved by itself, and faults, by device. */
static const char *const unified[LIVE_UNIFIED_KINDS] = {
	[LIVE_UNIFIED_TO] = "HtoD",        [LIVE_UNIFIED_FROM] = "DtoH",
	[LIVE_UNIFIED_PEER] = "DtoD",      [LIVE_UNIFIED_GPU] = "gpu-faults",
	[LIVE_UNIFIED_CPU] = "cpu-faults",
};

static void add_unified_memory(struct run_unified *to,
			       const struct run_unified *from)
{
	to->kind = from->kind;
	to->device = from->device;
	to->count += from->count;
	to->bytes += from->bytes;
	to->ns += from->ns;
}

static void unified_row(struct report *report, const struct run_unified *u)
{
	bool moves = u->kind <= LIVE_UNIFIED_PEER;

	report_text(report, unified[u->kind]);
	value_count(report, u->device == RUN_HOST ? NO_VALUE : u->device);
	report_count(report, u->count);
	value_count(report, moves ? u->bytes : NO_VALUE);
	value_if_known(report, (double)u->ns / 1e9);
	value_count(report, moves && u->ns
				    ? (double)u->bytes * 1e9 / (double)u->ns
				    : NO_VALUE);
}

static void unified_table(struct report *report, const struct run *run)
{
	struct run_unified sums[DEVICES + 1][LIVE_UNIFIED_KINDS] = { 0 };

	if (!run->facts.unified_count)
		return;
	report_table(report, "unified", "unified memory");
	report_column(report, "kind", "what", COLUMN_TEXT);
	report_column(report, "gpu", "GPU", COLUMN_COUNT);
	report_column(report, "count", "count", COLUMN_COUNT);
	report_column(report, "bytes", "bytes", COLUMN_BYTES);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "bandwidth", "per second", COLUMN_BYTES);
	for (size_t i = 0; i < run->facts.unified_count; i++) {
		const struct run_unified *u = &run->facts.unified[i];
		uint32_t device = u->device < DEVICES ? u->device : DEVICES;

		add_unified_memory(&sums[device][u->kind], u);
	}
	for (size_t i = 0; i <= DEVICES; i++)
		for (size_t k = 0; k < LIVE_UNIFIED_KINDS; k++)
			if (sums[i][k].count)
				unified_row(report, &sums[i][k]);
}

/* Their counters slow the program. */
static void unified_note(struct report *report, const struct run *run)
{
	const struct run_facts *f = &run->facts;
	bool used = false;

	for (size_t i = 0; i < f->held_count; i++)
		used |= f->held[i].kind == LIVE_MEMORY_MANAGED;
	if (used && !f->unified_count)
		report_note(report, "What unified memory moved is not counted "
				    "(copse run --gpu-unified=on).");
}

static void say_copy_total(struct report *report, const struct gpu_row *total)
{
	char time[32];

	if (total->count <= 0)
		report_line(report, "No copies of GPUs were seen.");
	else
		report_line(report,
			    "%.0f copies and memsets took %s; those of several "
			    "streams may overlap.",
			    total->count, phrase_time(time, total->seconds));
}

static int copy_tables(struct report *report, const struct paths *paths,
		       const struct analysis_options *options)
{
	struct gpu_work_rows by_kind, by_path = { 0 };
	int err = gpu_work_init(&by_kind, paths, GPU_COPIES, true);

	if (!err)
		err = gpu_work_init(&by_path, paths, GPU_COPIES, false);
	if (!err) {
		say_copy_total(report, &by_kind.total);
		copy_kind_table(report, paths, &by_kind, options);
		copy_path_table(report, paths, &by_path, options);
		unified_table(report, paths->run);
		unified_note(report, paths->run);
	}
	gpu_work_fini(&by_kind);
	gpu_work_fini(&by_path);
	return err;
}

GPU_ANALYSIS(gpu_transfers, "gpu-transfers",
	     "copies and memsets of GPUs by kind and path, and how fast",
	     copy_tables)
