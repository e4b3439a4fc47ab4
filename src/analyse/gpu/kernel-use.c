/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel-use.c - how well kernels use a GPU, by the counters of its hardware,
 * and what bounds them.
 */
#include "analyse/base/analysis.h"
#include "analyse/gpu/device-use.h"
#include "analyse/gpu/gpu-tables.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/gpu/kernel-counters.h"

enum {
	ROWS = 20,
};

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
				    ? kernel_use_share(use, what) / 1e9
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
		    (kernel_use_share(all, USE_DRAM_READ) +
		     kernel_use_share(all, USE_DRAM_WRITTEN)) /
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
		kernel_uses_fini(&uses);
	}
	gpu_losses_notes(report, paths->run, "gpu.counters.");
	return err;
}

GPU_ANALYSIS(kernel_use, "gpu-counters",
	     "how well kernels use the GPU, and what bounds them", use_tables)
