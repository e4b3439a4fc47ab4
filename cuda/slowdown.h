/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slowdown.h - how long kernels took while kernels were sampled, and while they
 * were not: of launches that are alike, and that lie within one stretch of
 * time.
 *
 * Threads   Stretches: one.  Kernels: one at a time, beside it.
 */
#ifndef CUDA_SLOWDOWN_H
#define CUDA_SLOWDOWN_H

#include <stdbool.h>

#include "collect/region.h"
#include "cuda/cupti.h"

/* From now on it is so; from now on it changes.  No kernel is both. */
void slowdown_begin(bool sampled);
void slowdown_end(void);

/* From `start` to `end`, CLOCK_MONOTONIC. */
void slowdown_kernel(struct region_name *name, const CUpti_ActivityKernel9 *k,
		     uint64_t start, uint64_t end);

/* The collector is told what is not told yet. */
void slowdown_tell(void);

#endif
