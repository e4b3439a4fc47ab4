/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel-use.c - how well kernels use a GPU, by the counters of its hardware,
 * and what bounds them.
 */
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/device-use.h"
#include "analyse/gpu/gpu-tables.h"
#include "analyse/gpu/gpu-work.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"

enum {
	ROWS = 20,
	LEAST_INTERVALS = 3,
};
#define HALF 0.5
#define FEW  0.25

/* Each is a metric METRIC_GPU_ID. */
#define KERNEL_USES(USE)                                                       \
	USE(SM_ACTIVE)                                                         \
	USE(WARPS)                                                             \
	USE(TENSOR)                                                            \
	USE(DRAM)                                                              \
	USE(DRAM_READ)                                                         \
	USE(DRAM_WRITTEN)                                                      \
	USE(ISSUED)                                                            \
	USE(FP32)                                                              \
	USE(FP64)                                                              \
	USE(PCIE_RECEIVED)                                                     \
	USE(PCIE_SENT)                                                         \
	USE(NVLINK_RECEIVED)                                                   \
	USE(NVLINK_SENT)

enum use_counter {
#define USE(id) USE_##id,
	KERNEL_USES(USE)
#undef USE
	USE_COUNTERS
};

/* Of a kernel, or of a launch path; copies and memsets are rows as well. */
struct kernel_use {
	uint32_t function, path;
	double time; /* seconds, of all its launches */
	double counted, alone, intervals;
	double value[USE_COUNTERS]; /* bytes; shares: seconds */
};

enum use_rows {
	USE_BY_KERNEL,
	USE_BY_PATH,
	USE_BY_RANGE,
};

struct kernel_uses {
	struct kernel_use *at; /* the longest time first */
	size_t count;
	struct kernel_use all;
};

static double use_value(const struct run *run, enum metric metric,
			uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric_infos[metric].name);

	return m ? value_node(m, node) : 0;
}

static void add_use(struct kernel_use *to, const struct run *run, uint32_t node)
{
	to->time += use_value(run, METRIC_GPU_TIME, node);
	to->counted += use_value(run, METRIC_GPU_COUNTED, node);
	to->alone += use_value(run, METRIC_GPU_COUNTED_ALONE, node);
	to->intervals += use_value(run, METRIC_GPU_INTERVALS, node);
#define USE(id) to->value[USE_##id] += use_value(run, METRIC_GPU_##id, node);
	KERNEL_USES(USE)
#undef USE
}

ORDER_BY(by_use_time, struct kernel_use,
	 DESC(time) ?: ASC(function) ?: ASC(path))

/* The work of that node to the row of that name and path. */
static int put_use(struct kernel_uses *uses, struct map *map,
		   const struct run *run, struct kernel_use row, uint32_t node)
{
	uint32_t at =
		map_put(map, row.function, row.path, (uint32_t)uses->count);

	if (at == MAP_NONE)
		return no_memory();
	if (at == uses->count)
		uses->at[uses->count++] = row;
	add_use(&uses->at[at], run, node);
	return 0;
}

/* A range inside one of its own name is part of that one. */
static bool is_range_below(const struct run *run, uint32_t range, uint32_t node)
{
	for (uint32_t n = node; n != range; n = run->nodes[n].parent)
		if (run->nodes[n].kind == RUN_PHASE &&
		    run->nodes[n].function == run->nodes[range].function)
			return true;
	return false;
}

/* To all ranges around it. */
static int put_range_use(struct kernel_uses *uses, struct map *map,
			 const struct run *run, uint32_t node)
{
	int err = 0;

	for (uint32_t n = run->nodes[node].parent; n && !err;
	     n = run->nodes[n].parent) {
		struct kernel_use row = { .function = run->nodes[n].function };

		if (run->nodes[n].kind == RUN_PHASE &&
		    !is_range_below(run, n, node))
			err = put_use(uses, map, run, row, node);
	}
	return err;
}

static int collect_uses(struct kernel_uses *uses, struct map *map,
			const struct paths *paths, enum use_rows rows)
{
	const struct run *run = paths->run;
	int err = 0;

	for (uint32_t i = 0; i < run->node_count && !err; i++) {
		struct kernel_use row = { .function = run->nodes[i].function };

		if (use_value(run, METRIC_GPU_TIME, i) <= 0)
			continue;
		if (rows == USE_BY_PATH)
			row.path = paths->of[i];
		err = rows == USE_BY_RANGE ? put_range_use(uses, map, run, i)
					   : put_use(uses, map, run, row, i);
		add_use(&uses->all, run, i);
	}
	return err;
}

static int kernel_uses_init(struct kernel_uses *uses, const struct paths *paths,
			    enum use_rows rows)
{
	struct map map = { 0 };
	int err;

	*uses = (struct kernel_uses){ .at = calloc(paths->run->node_count + 1,
						   sizeof(*uses->at)) };
	if (!uses->at)
		return no_memory();
	err = collect_uses(uses, &map, paths, rows);
	map_fini(&map);
	qsort(uses->at, uses->count, sizeof(*uses->at), by_use_time);
	return err;
}

/* Of the time counted: 0 … 1; then bytes a second. */
static double kernel_use_share(const struct kernel_use *use,
			       enum use_counter what)
{
	return value_ratio(use->value[what], use->counted);
}

static double kernel_use_rate(const struct kernel_use *use,
			      enum use_counter what)
{
	return value_ratio(use->value[what], use->counted);
}

/* Enough was counted to say something. */
static bool kernel_use_known(const struct kernel_use *use)
{
	return use->intervals >= LEAST_INTERVALS;
}

/* In a word or two; NULL: it is not known.  A copy has none. */
static const char *kernel_use_bound(const struct kernel_use *use)
{
	static const struct {
		enum use_counter what;
		const char *name;
	} busy[] = {
		{ USE_TENSOR, "tensor cores" }, { USE_DRAM, "memory" },
		{ USE_FP64, "FP64" },           { USE_FP32, "FP32" },
		{ USE_ISSUED, "instructions" },
	};

	if (!kernel_use_known(use) || use->value[USE_SM_ACTIVE] <= 0)
		return NULL;
	for (size_t i = 0; i < sizeof(busy) / sizeof(*busy); i++)
		if (kernel_use_share(use, busy[i].what) >= HALF)
			return busy[i].name;
	if (kernel_use_share(use, USE_SM_ACTIVE) < HALF)
		return "few blocks";
	return kernel_use_share(use, USE_WARPS) < FEW ? "few warps" : "latency";
}

/* The report */

static void kernel_use_columns(struct report *report)
{
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "counted", "counted", COLUMN_SHARE);
	report_column(report, "alone", NULL, COLUMN_SHARE);
	report_column(report, "intervals", NULL, COLUMN_COUNT);
	report_column(report, "bound", "bound by", COLUMN_TEXT);
	report_column(report, "sm_active", "SMs", COLUMN_SHARE);
	report_column(report, "occupancy", "warps", COLUMN_SHARE);
	report_column(report, "memory", "memory", COLUMN_SHARE);
	report_column(report, "tensor", "tensor", COLUMN_SHARE);
	report_column(report, "fp32", "FP32", COLUMN_SHARE);
	report_column(report, "fp64", "FP64", COLUMN_SHARE);
	report_column(report, "issued", "issued", COLUMN_SHARE);
	report_column(report, "read_rate", "read GB/s", COLUMN_NUMBER);
	report_column(report, "write_rate", "written GB/s", COLUMN_NUMBER);
	report_column(report, "pcie_received_rate", NULL, COLUMN_NUMBER);
	report_column(report, "pcie_sent_rate", NULL, COLUMN_NUMBER);
	report_column(report, "nvlink_received_rate", NULL, COLUMN_NUMBER);
	report_column(report, "nvlink_sent_rate", NULL, COLUMN_NUMBER);
}

static void share_cell(struct report *report, const struct kernel_use *use,
		       enum use_counter what)
{
	value_known(report, kernel_use_known(use) ? kernel_use_share(use, what)
						  : NO_VALUE);
}

static void rate_cell(struct report *report, const struct kernel_use *use,
		      enum use_counter what)
{
	value_known(report, kernel_use_known(use)
				    ? kernel_use_rate(use, what) / 1e9
				    : NO_VALUE);
}

static void kernel_use_cells(struct report *report,
			     const struct kernel_use *use, double all)
{
	static const enum use_counter shares[] = { USE_SM_ACTIVE, USE_WARPS,
						   USE_DRAM,      USE_TENSOR,
						   USE_FP32,      USE_FP64,
						   USE_ISSUED };
	static const enum use_counter rates[] = {
		USE_DRAM_READ, USE_DRAM_WRITTEN,    USE_PCIE_RECEIVED,
		USE_PCIE_SENT, USE_NVLINK_RECEIVED, USE_NVLINK_SENT
	};

	report_number(report, use->time);
	report_number(report, value_ratio(use->time, all));
	report_number(report, value_ratio(use->counted, use->time));
	report_number(report, value_ratio(use->alone, use->counted));
	value_cell(report, UNIT_COUNT, use->intervals);
	report_text(report, kernel_use_bound(use));
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		share_cell(report, use, shares[i]);
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		rate_cell(report, use, rates[i]);
}

static void use_heads(struct report *report, enum use_rows rows)
{
	switch (rows) {
	case USE_BY_KERNEL:
		report_table(report, "kernels", "kernels and copies");
		report_column(report, "kernel", "kernel", COLUMN_TEXT);
		break;
	case USE_BY_PATH:
		report_table(report, "paths", "launch paths");
		report_column(report, "kernel", NULL, COLUMN_TEXT);
		report_column(report, "call_path", "call path", COLUMN_TEXT);
		break;
	case USE_BY_RANGE:
		report_table(report, "ranges", "work launched in ranges");
		report_column(report, "range", "range", COLUMN_TEXT);
	}
}

static void use_table(struct report *report, const struct paths *paths,
		      const struct kernel_uses *uses, enum use_rows rows,
		      const struct analysis_options *options)
{
	size_t count = uses->all.counted > 0 ? uses->count : 0;
	size_t limit = analysis_limit(options, ROWS, count);

	use_heads(report, rows);
	kernel_use_columns(report);
	for (size_t i = 0; i < limit; i++) {
		const struct kernel_use *use = &uses->at[i];

		report_text(report,
			    str_at(&paths->run->strings, use->function));
		if (rows == USE_BY_PATH)
			paths_cell(report, paths, use->path);
		kernel_use_cells(report, use, uses->all.time);
	}
}

static void say_uses(struct report *report, const struct kernel_uses *uses)
{
	const struct kernel_use *all = &uses->all;
	char counted[32], time[32];

	if (all->counted <= 0) {
		report_line(report, "No counters of GPUs were read: copse run "
				    "--gpu-counters=on reads them.");
		return;
	}
	report_line(report,
		    "Counters were read in %s of %s of GPU work, %.0f %%; work "
		    "had the device to itself in %.0f %% of that.",
		    phrase_time(counted, all->counted),
		    phrase_time(time, all->time),
		    100 * value_ratio(all->counted, all->time),
		    100 * value_ratio(all->alone, all->counted));
	report_line(report,
		    "While it worked: multiprocessors active %.0f %%, warps "
		    "%.0f %% of what they hold, tensor cores %.0f %%, memory "
		    "%.0f %% of its bandwidth (%.0f GB/s).",
		    100 * kernel_use_share(all, USE_SM_ACTIVE),
		    100 * kernel_use_share(all, USE_WARPS),
		    100 * kernel_use_share(all, USE_TENSOR),
		    100 * kernel_use_share(all, USE_DRAM),
		    (kernel_use_rate(all, USE_DRAM_READ) +
		     kernel_use_rate(all, USE_DRAM_WRITTEN)) /
			    1e9);
	report_note(report, "What runs beside other work has its part of what "
			    "was counted by time: an estimate.  Below 3 "
			    "intervals nothing is said.");
}

static int use_tables(struct report *report, const struct paths *paths,
		      const struct analysis_options *options)
{
	int err = 0;

	device_use_table(report, paths->run, options);
	device_use_phases(report, paths, options);
	for (enum use_rows rows = USE_BY_KERNEL; rows <= USE_BY_RANGE && !err;
	     rows++) {
		struct kernel_uses uses;

		err = kernel_uses_init(&uses, paths, rows);
		if (!err && rows == USE_BY_KERNEL)
			say_uses(report, &uses);
		if (!err)
			use_table(report, paths, &uses, rows, options);
		free(uses.at);
	}
	gpu_losses_notes(report, paths->run, "gpu.counters.");
	return err;
}

GPU_ANALYSIS(kernel_use, "gpu-counters",
	     "how well kernels use the GPU, and what bounds them", use_tables)
