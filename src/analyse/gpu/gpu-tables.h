/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-tables.h - tables of gpu-kernels that are not of kernels themselves. */
#pragma once

#include "analyse/gpu/gpu-work.h"
#include "analyse/base/report.h"
#include "live/layout.h"
#include "analyse/base/analysis.h"

/* How often that happened, in all processes. */
double gpu_lost(const struct run *run, enum loss loss);

/* A note of each loss whose name begins so: why there is nothing, or less. */
void gpu_losses_notes(struct report *report, const struct run *run,
		      const char *begin);

/* A warning when there are launches without a record; false: there are none. */
bool gpu_unreported_line(struct report *report, const struct run *run);

/* How many of CUPTI's records have their path, and why others have none. */
void gpu_records_table(struct report *report, const struct run *run);

/* Ranges of NVTX and other phases, when there are any.  0, or -ENOMEM. */
int gpu_ranges_table(struct report *report, const struct run *run,
		     size_t limit);

/*
 * How launch paths differ between the members of a run of several.  0, or
 * -errno with a reason.
 */
int gpu_balance_table(struct report *report, const struct paths *paths,
		      const struct gpu_work_rows *by_path, size_t limit);

/* How kernels were launched, and what limits them. */

/* Adds the table `shapes`, when there are any. */
void gpu_shapes_table(struct report *report, const struct run *run,
		      const struct analysis_options *options);
