/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch-shapes.h - how kernels were launched, summed here before the collector
 * is told: most records are like the last of their kernel.
 *
 * Threads   One at a time.
 */
#ifndef CUDA_LAUNCH_SHAPES_H
#define CUDA_LAUNCH_SHAPES_H

#include "collect/region.h"
#include "cuda/cupti.h"

void launch_shapes_add(struct region_name *name,
		       const CUpti_ActivityKernel9 *k);

/* The collector is told what is not told yet. */
void launch_shapes_report(void);

#endif
