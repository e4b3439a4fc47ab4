/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-sums.h - what gpu.c keeps the sums of, for the parts that look at when
 * devices worked (gpu-time.h) and why they did not (gpu-idle.h).
 *
 * Threads   The caller holds the lock of gpu.c.
 */
#ifndef COLLECT_GPU_GPU_SUMS_H
#define COLLECT_GPU_GPU_SUMS_H

#include "live/layout.h"

struct region_name;

/*
 * So many times, so long in all, GPUs had nothing to do because of that node,
 * or of its child of that name (NULL: the node itself).
 */
void gpu_sums_idle(live_ref node, uint32_t thread, struct region_name *name,
		   uint64_t ns, uint64_t count);

/* The same, of a node that is not known (enum loss). */
void gpu_sums_idle_lost(uint32_t why, uint64_t ns);

#endif
