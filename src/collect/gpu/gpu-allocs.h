/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-allocs.h - memory that calls allocate and free, as an adapter tells it:
 * what is live, how much that was at most, and where it was allocated.
 *
 * Events come late and in any order.  A queue of 32,768 puts them in the order
 * of time: they wait for 1.5 s.  One that comes after a later one was taken is
 * counted (LOSS_GPU_MEMORY_LATE), and can make a peak wrong, not what is live:
 * by their times, an allocation that was freed before it was heard of is not
 * live, and a free of what had the address before frees nothing.
 *
 * 131,072 allocations at most are known as live, in 8 MiB; of others the calls
 * are counted and nothing more (LOSS_GPU_MEMORY_FULL).
 *
 * Threads   Any.
 * Signals   Not to be called from handlers.
 * Failure   Nothing fails visibly; what is lost is counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_memory_what {
	GPU_MEMORY_ALLOCATED,
	GPU_MEMORY_FREED,
	GPU_MEMORY_CONTEXT, /* it ends: what is left in it is given back */
};

struct gpu_memory {
	uint32_t what; /* enum gpu_memory_what */
	uint32_t id;   /* of the call; 0: nobody's */
	uint32_t kind; /* enum live_memory_kind; of an allocation */
	uint32_t device;
	uint32_t context;
	uint64_t address, bytes; /* of a free, too, when it is known */
	uint64_t ns;             /* CLOCK_MONOTONIC */
};

/* Whether the user wants it. */
bool copse_gpu_memory_wanted(void);

/* Many at once are cheaper than each alone. */
void copse_gpu_memory(const struct gpu_memory *events, size_t count);

/* What is due is taken; `all`: nothing waits for what is still to come. */
void copse_gpu_memory_settle(bool all);
