/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-live.h - the set of live allocations of GPU memory, and its sums in the
 * live profile: by context, by device and over time.
 *
 * Threads   The caller holds the lock of gpu-allocs.c.
 */
#pragma once

#include <stdbool.h>

#include "live/arena.h"
#include "collect/regions/region.h"
#include "live/layout.h"

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

/*
 * What gpu.c noted of the calls of an adapter, for the parts that
 * keep other things of them than work: gpu-allocs.c.
 *
 * Threads   Any.
 */

struct gpu_noted {
	live_ref node; /* 0: why */
	uint32_t thread;
	uint32_t why; /* enum loss */
	bool wanted;  /* false: it was called in a pause */
};
struct gpu_noted gpu_noted(uint32_t id);

/*
 * What gpu.c keeps the sums of, for the parts that look at when
 * devices worked (gpu-time.h) and why they did not (gpu-idle.h).
 *
 * Threads   The caller holds the lock of gpu.c.
 */

struct region_name;

/*
 * So many times, so long in all, GPUs had nothing to do because of that node,
 * or of its child of that name (NULL: the node itself).
 */
void gpu_sums_idle(live_ref node, uint32_t thread, struct region_name *name,
		   uint64_t ns, uint64_t count);

/* The call of that node waited so long for the work of that name (index). */
void gpu_sums_awaited(live_ref node, uint32_t thread, uint32_t name,
		      uint64_t ns);

/* The same as gpu_sums_idle(), of a node that is not known (enum loss). */
void gpu_sums_idle_lost(uint32_t why, uint64_t ns);
