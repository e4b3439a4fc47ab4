/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-tables.h - tables of gpu-kernels that are not of kernels themselves. */
#ifndef ANALYSE_GPU_TABLES_H
#define ANALYSE_GPU_TABLES_H

#include "analyse/gpu-work.h"
#include "analyse/report.h"

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
		      const struct gpu_work *by_path, size_t limit);

#endif
