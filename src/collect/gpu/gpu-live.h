/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-live.h - the set of live allocations of GPU memory, and its sums in the
 * live profile: by context, by device and over time.
 *
 * Threads   The caller holds the lock of gpu-allocs.c.
 */
#ifndef COLLECT_GPU_GPU_LIVE_H
#define COLLECT_GPU_GPU_LIVE_H

#include <stdbool.h>

#include "live/arena.h"

struct gpu_live_event {
	uint64_t ns, address, bytes;
	uint32_t what; /* enum gpu_memory_what */
	uint32_t context;
	live_ref entry; /* of an allocation: gpu_live_allocated() */
	live_ref node;  /* of the call; 0: why */
	uint32_t thread;
	uint16_t why; /* enum loss */
	bool wanted;  /* the call is counted */
};

/* Counts the call of an allocation: its sums, or 0 when there are none. */
live_ref gpu_live_allocated(const struct gpu_live_event *event, uint32_t kind,
			    uint32_t device);

/* What an event does to the set; in the order of time, as far as known. */
void gpu_live_take(const struct gpu_live_event *event);

/* Another live profile: nothing is live. */
void gpu_live_reset(struct arena *arena);

#endif
