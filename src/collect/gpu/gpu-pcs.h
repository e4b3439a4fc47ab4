/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-pcs.h - samples of what kernels execute, summed by instruction, and what
 * of their code is needed to find its lines, as an adapter tells them.
 *
 * Instructions are as many as fit: 32,768 in a process; samples of others are
 * counted (LOSS_GPU_PC_FULL).  Of code at most 8 MiB is kept (LOSS_GPU_CUBINS).
 *
 * Threads   Any.
 * Signals   Not to be called from handlers.
 * Failure   Nothing fails visibly; what is lost is counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "collect/regions/region.h"

/* Whether samples are wanted; cycles between two as a power of 2; 0: any. */
bool copse_gpu_sampling(uint32_t *period);

/*
 * Since when nothing was paused, CLOCK_MONOTONIC; 0: from the begin on;
 * UINT64_MAX: something is.
 */
uint64_t copse_gpu_measured_since(void);

/* So many more of that instruction: `some` with its name's index to be set. */
void copse_gpu_pc(struct region_name *function, const struct live_pc *some);

/* What is to be kept of a cubin; once for each. */
void copse_gpu_cubin(uint64_t cubin, const void *bytes, size_t size);

/* CUPTI was asked for samples once, which took so long. */
void copse_gpu_sampling_cost(uint64_t ns);
