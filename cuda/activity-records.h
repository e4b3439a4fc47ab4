/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * activity-records.h - CUPTI's activity records of GPU work, in buffers that we
 * provide.
 *
 * Threads   CUPTI's own thread or the flushing one; one buffer is read at a
 * time.
 */
#pragma once

#include "cuda/cupti.h"
#include "collect/regions/region.h"

/*
 * Enable the records, but for those of graphs.  Returns the first CUPTI error,
 * or 0.
 */
CUptiResult records_begin(void);

/*
 * Called for each node of a graph.  Before the first one, choose whether graphs
 * are recorded as a whole: a framework that fails with that may be loaded after
 * CUDA began.
 *
 * Threads   All.
 */
void records_choose_graphs(void);

/* Converts a time of CUPTI to CLOCK_MONOTONIC; 0 stays 0. */
uint64_t records_time(uint64_t at);

/* Disable the records; complete ones still come. */
void records_stop(void);

/* Discard buffers that still come, and give CUPTI no more. */
void records_end(void);

/* Give CUPTI its own clock back. */
void records_restore_clock(void);

/*
 * The names of kernels, found by the pointers in CUPTI's records.
 *
 * Threads   One at a time.
 */

struct region_name;

/* NULL: out of memory. */
struct region_name *kernel_name(const char *text);

/*
 * Sums launches of equal configuration before they are
 * reported to the collector: most launches of a kernel are like its last one.
 *
 * Threads   One at a time.
 */

void launch_shapes_add(struct region_name *name,
		       const CUpti_ActivityKernel9 *k);

/* Report the remaining sums to the collector. */
void launch_shapes_report(void);
