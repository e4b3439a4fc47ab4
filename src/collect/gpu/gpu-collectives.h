/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-collectives.h - collective calls of devices: the adapter to a library
 * (NCCL) tells which call a launch was for, and when its kernel has ended it
 * becomes a record in the live profile.
 *
 * Records are bounded: when they are 8,192, half of the operations are left
 * out, the same ones in all ranks.
 *
 * Signals   Not to be called from handlers.
 */
#pragma once

#include <stdint.h>

#include "collect/gpu/gpu.h"
#include "live/arena.h"

struct gpu_collective {
	uint64_t comm;   /* the same on all its ranks, and only there */
	uint64_t number; /* of the call there, among those of that function */
	uint64_t bytes;
	uint32_t function;   /* enum live_collective_function */
	uint32_t size, rank; /* of the communicator; size 0: not known */
};

/* There is a communicator; size 0: its id and size are known by its calls. */
void copse_gpu_communicator(uint64_t id, uint32_t size, uint32_t rank);

/* What the calling thread launched last is for that call. */
void copse_gpu_collective(const struct gpu_collective *call);

/*
 * gpu.c: work that has ended, begun by that.  One at a time.
 */
struct gpu_launch {
	live_ref node;
	uint32_t thread, name;
	uint64_t ns; /* when it began */
};
void gpu_collectives_work(struct arena *arena, const struct gpu_work *work,
			  const struct gpu_launch *launch);
