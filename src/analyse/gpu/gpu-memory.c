/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-memory.c - what calls of CUDA allocated, what was live
 * when most was, and what was left.
 */
#include <math.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-held.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/comparison.h"

enum {
	ROWS = 20,
	STRIP = 48
};

/* The largest peak of a kind on one device of one process; NULL: none. */
static const struct run_held *largest_held(const struct run *run, uint32_t kind)
{
	const struct run_held *most = NULL;

	for (size_t i = 0; i < run->facts.held_count; i++)
		if (run->facts.held[i].kind == kind &&
		    (!most || run->facts.held[i].peak > most->peak))
			most = &run->facts.held[i];
	return most;
}

static void kind_columns(struct report *report, const struct run *run)
{
	bool several = run->rank_count > 1;

	report_table(report, "kinds", "by kind");
	report_column(report, "kind", "kind", COLUMN_TEXT);
	report_column(report, "peak", "peak", COLUMN_BYTES);
	report_column(report, "most", several ? processes_noun(run) : NULL,
		      COLUMN_COUNT);
	report_column(report, "gpu", "GPU", COLUMN_COUNT);
}

/* In text, paths have more room without those that are seldom asked for. */
static void use_columns(struct report *report, bool all, bool resets)
{
	report_column(report, "allocations", "allocations", COLUMN_COUNT);
	report_column(report, "bytes", "allocated", COLUMN_BYTES);
	report_column(report, "frees", all ? "frees" : NULL, COLUMN_COUNT);
	report_column(report, "freed", "freed", COLUMN_BYTES);
	report_column(report, "leaks", all ? "left" : NULL, COLUMN_COUNT);
	report_column(report, "leaked", all ? "bytes left" : "left",
		      COLUMN_BYTES);
	report_column(report, "reset", resets ? "reset" : NULL, COLUMN_BYTES);
}

static void use_cells(struct report *report, const struct held_row *row)
{
	value_cell(report, UNIT_COUNT, row->allocations);
	value_cell(report, UNIT_BYTES, row->allocated);
	value_cell(report, UNIT_COUNT, row->frees);
	value_cell(report, UNIT_BYTES, row->freed);
	value_cell(report, UNIT_COUNT, row->leaks);
	value_cell(report, UNIT_BYTES, row->leaked);
	value_cell(report, UNIT_BYTES, row->reset);
}

static void memory_device_cell(struct report *report, uint32_t device)
{
	value_count(report, device == RUN_HOST ? NO_VALUE : device);
}

static void peak_cells(struct report *report, const struct run *run,
		       const struct run_held *most)
{
	const struct run_holder *h =
		most ? &run->facts.holders[most->holder] : NULL;

	if (!h) {
		report_none(report);
		report_none(report);
		report_none(report);
		return;
	}
	report_count(report, most->peak);
	report_count(report, processes_number(run, h->rank));
	memory_device_cell(report, h->device);
}

static void memory_kind_table(struct report *report, const struct paths *paths,
			      const struct held *held)
{
	const struct run *run = paths->run;

	kind_columns(report, run);
	use_columns(report, true, held->total.reset > 0);
	for (size_t i = 0; i < held->count; i++) {
		const struct held_row *row = &held->at[i];
		uint32_t kind;

		report_text(report,
			    gpu_held_kind(str_at(&run->strings, row->function),
					  &kind));
		peak_cells(report, run, largest_held(run, kind));
		use_cells(report, row);
	}
}

static void memory_path_table(struct report *report, const struct paths *paths,
			      const struct held *held,
			      const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, held->count);

	report_table(report, "paths", "by call path");
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "kind", "kind", COLUMN_TEXT);
	report_column(report, "at_peak", "at the peak", COLUMN_BYTES);
	use_columns(report, false, held->total.reset > 0);
	for (size_t i = 0; i < limit; i++) {
		const struct held_row *row = &held->at[i];
		uint32_t kind;

		paths_cell(report, paths, paths->at[row->path].parent);
		report_text(report, gpu_held_kind(str_at(&paths->run->strings,
							 row->function),
						  &kind));
		value_cell(report, UNIT_BYTES, row->at_peak);
		use_cells(report, row);
	}
}

/* Whether it is known what there was when the process ended. */
static bool ends_known(const struct run *run, uint32_t rank, uint64_t *until)
{
	const struct run_rank *r = &run->ranks[rank];
	uint64_t known = run_gpu_known(&run->gpu, rank, r);
	bool all = known + r->paused_ns >= r->elapsed_ns;

	*until = all ? r->elapsed_ns : known;
	return all;
}

static void end_cell(struct report *report, const struct run *run,
		     const struct run_holder *h)
{
	uint64_t until;

	value_count(report,
		    ends_known(run, h->rank, &until) ? h->live : NO_VALUE);
}

/* Over the time that the process ran, at most in each part. */
static void strip_cell(struct report *report, const struct run *run, size_t i)
{
	const struct run_holder *h = &run->facts.holders[i];
	uint64_t all;
	double strip[STRIP];

	ends_known(run, h->rank, &all);
	for (uint64_t s = 0; s < STRIP; s++)
		strip[s] = gpu_held_between(run, i, all / STRIP * s,
					    all / STRIP * (s + 1));
	if (isnan(strip[0]) || !all)
		report_none(report);
	else
		report_spark(report, strip, STRIP);
}

ORDER_ROWS_BY(by_peak, struct run_holder, of, DESC(peak) ?: ORDER(a, b))

static void memory_device_columns(struct report *report, const struct run *run)
{
	report_table(report, "devices", "over time");
	report_column(report, "process", processes_noun(run), COLUMN_COUNT);
	report_column(report, "gpu", "GPU", COLUMN_COUNT);
	report_column(report, "peak", "peak", COLUMN_BYTES);
	report_column(report, "when", "when", COLUMN_SECONDS);
	report_column(report, "end", "at the end", COLUMN_BYTES);
	report_column(report, NULL, "from begin to end", COLUMN_SPARK);
}

static int memory_device_table(struct report *report, const struct run *run,
			       const struct analysis_options *options)
{
	size_t count = run->facts.holder_count;
	size_t limit = analysis_limit(options, ROWS, count);
	uint32_t *order = calloc(count + 1, sizeof(*order));

	if (!order)
		return no_memory();
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	if (count)
		qsort_r(order, count, sizeof(*order), by_peak,
			run->facts.holders);
	memory_device_columns(report, run);
	for (size_t i = 0; i < limit; i++) {
		const struct run_holder *h = &run->facts.holders[order[i]];

		report_count(report, processes_number(run, h->rank));
		memory_device_cell(report, h->device);
		report_count(report, h->peak);
		report_number(report, (double)h->peak_ns / 1e9);
		end_cell(report, run, h);
		strip_cell(report, run, order[i]);
	}
	free(order);
	return 0;
}

static void say_memory_total(struct report *report, const struct run *run,
			     const struct held_row *total)
{
	char count[32], allocated[32], left[32];

	if (total->allocations + total->frees <= 0)
		report_line(report, "No memory of GPUs was seen.");
	else if (run->gpu.known_count)
		report_line(
			report, "%s of %s.",
			phrase_many(count, total->allocations, "allocation"),
			phrase_bytes(allocated, total->allocated));
	else
		report_line(
			report,
			"%s of %s; %.0f of them, %s, were left when their "
			"process ended.",
			phrase_many(count, total->allocations, "allocation"),
			phrase_bytes(allocated, total->allocated), total->leaks,
			phrase_bytes(left, total->leaked));
}

static int memory_tables(struct report *report, const struct paths *paths,
			 const struct analysis_options *options)
{
	struct held by_kind, by_path = { 0 };
	int err = gpu_held_init(&by_kind, paths, true);

	if (!err)
		err = gpu_held_init(&by_path, paths, false);
	if (!err) {
		say_memory_total(report, paths->run, &by_kind.total);
		memory_kind_table(report, paths, &by_kind);
		memory_path_table(report, paths, &by_path, options);
		err = memory_device_table(report, paths->run, options);
	}
	gpu_held_fini(&by_kind);
	gpu_held_fini(&by_path);
	return err;
}

GPU_ANALYSIS(gpu_memory, "gpu-memory",
	     "memory that calls of CUDA allocated, at most and left",
	     memory_tables)
