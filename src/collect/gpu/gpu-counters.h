/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-counters.h - what the hardware of a GPU counted, interval by interval, is
 * laid beside the work that ran then.
 * An interval in which one kind of work ran is all of that one.  Where several
 * ran, each has its part of the interval's work by time, and so of what was
 * counted: an estimate, and not in live_counted.alone.  Work of three intervals
 * and more has its whole ones alone.  What was counted while nothing ran is
 * left out.
 *
 * Failure   Intervals that come later than their work by more than there is
 *           room for are dropped, and counted (LOSS_GPU_COUNTERS_DROPPED).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/arena.h"

enum gpu_counter {
#define COUNTER(id, name) GPU_COUNTER_##id,
#include "live/gpu-counters.def"
#undef COUNTER
	GPU_COUNTERS
};

/* Of an interval: nanoseconds, bytes or cycles, as gpu-counters.def has them.
 */
struct gpu_interval {
	uint64_t start, end; /* CLOCK_MONOTONIC */
	float value[GPU_COUNTERS];
};

/* Whether they are to be read, and how often; with kernels sampled, not. */
bool copse_gpu_counters(uint64_t *period_ns);

/* Of a device, in their order, each after those of earlier calls. */
void copse_gpu_counted(uint32_t device, const struct gpu_interval *intervals,
		       size_t count);

/* The same, with the lock of gpu.c. */
void gpu_counters_add(uint32_t device, const struct gpu_interval *intervals,
		      size_t count);

/* With the lock of gpu.c: work in the order of its start, see gpu-time.h. */
void gpu_counters_work(const struct live_piece *piece);

/* All work that began before then was told; UINT64_MAX: all there is. */
void gpu_counters_settle(uint64_t until);
void gpu_counters_reset(struct arena *arena);
