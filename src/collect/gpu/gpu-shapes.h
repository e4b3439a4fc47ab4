/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-shapes.h - how kernels were launched, what devices have of what kernels
 * share, and what unified memory did: sums, as an adapter tells them.
 *
 * Shapes are as many as fit: 4096 in a process.  Launches in others are counted
 * (LOSS_GPU_SHAPES).
 *
 * Threads   Any.
 * Signals   Not to be called from handlers.
 * Failure   Nothing fails visibly; what is lost is counted.
 */
#pragma once

#include <stdbool.h>

#include "collect/regions/region.h"

/* So many launches, so long in all: `like` with its name's index to be set. */
void copse_gpu_shape(struct region_name *name, const struct live_shape *like);

/* Once for each device. */
void copse_gpu_limits(const struct live_limits *limits);

/* Added to what there is of that kind and device. */
void copse_gpu_unified(const struct live_unified *some);
bool copse_gpu_unified_wanted(void);
bool copse_gpu_faults_wanted(void);
