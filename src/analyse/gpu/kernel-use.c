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

static int collect_uses(struct kernel_uses *uses, struct map *map,
			const struct paths *paths, bool by_path)
{
	const struct run *run = paths->run;

	for (uint32_t i = 0; i < run->node_count; i++) {
		struct kernel_use row = { .function = run->nodes[i].function,
					  .path = by_path ? paths->of[i] : 0 };
		uint32_t at;

		if (use_value(run, METRIC_GPU_TIME, i) <= 0)
			continue;
		at = map_put(map, row.function, row.path,
			     (uint32_t)uses->count);
		if (at == MAP_NONE)
			return no_memory();
		if (at == uses->count)
			uses->at[uses->count++] = row;
		add_use(&uses->at[at], run, i);
		add_use(&uses->all, run, i);
	}
	return 0;
}

static int kernel_uses_init(struct kernel_uses *uses, const struct paths *paths,
			    bool by_path)
{
	struct map map = { 0 };
	int err;

	*uses = (struct kernel_uses){ .at = calloc(paths->run->node_count + 1,
						   sizeof(*uses->at)) };
	if (!uses->at)
		return no_memory();
	err = collect_uses(uses, &map, paths, by_path);
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

static void use_table(struct report *report, const struct paths *paths,
		      const struct kernel_uses *uses, bool by_path,
		      const struct analysis_options *options)
{
	size_t count = uses->all.counted > 0 ? uses->count : 0;
	size_t limit = analysis_limit(options, ROWS, count);

	if (by_path)
		report_table(report, "paths", "launch paths");
	else
		report_table(report, "kernels", "kernels and copies");
	report_column(report, "kernel", by_path ? NULL : "kernel", COLUMN_TEXT);
	if (by_path)
		report_column(report, "call_path", "call path", COLUMN_TEXT);
	kernel_use_columns(report);
	for (size_t i = 0; i < limit; i++) {
		const struct kernel_use *use = &uses->at[i];

		report_text(report,
			    str_at(&paths->run->strings, use->function));
		if (by_path)
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
	struct kernel_uses kernels = { 0 }, by_path = { 0 };
	int err = kernel_uses_init(&kernels, paths, false);

	if (!err)
		err = kernel_uses_init(&by_path, paths, true);
	if (!err)
		say_uses(report, &kernels);
	if (!err) {
		device_use_table(report, paths->run, options);
		device_use_phases(report, paths, options);
		use_table(report, paths, &kernels, false, options);
		use_table(report, paths, &by_path, true, options);
	}
	gpu_losses_notes(report, paths->run, "gpu.counters.");
	free(kernels.at);
	free(by_path.at);
	return err;
}

GPU_ANALYSIS(kernel_use, "gpu-counters",
	     "how well kernels use the GPU, and what bounds them", use_tables)
