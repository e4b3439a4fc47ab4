/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch-shapes.h - sums launches of equal configuration before they are
 * reported to the collector: most launches of a kernel are like its last one.
 *
 * Threads   One at a time.
 */
#ifndef CUDA_LAUNCH_SHAPES_H
#define CUDA_LAUNCH_SHAPES_H

#include "collect/region.h"
#include "cuda/cupti.h"

void launch_shapes_add(struct region_name *name,
		       const CUpti_ActivityKernel9 *k);

/* Report the remaining sums to the collector. */
void launch_shapes_report(void);

#endif
