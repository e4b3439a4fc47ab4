/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-collectives.h - collective calls of devices, and their messages: the
 * adapter to a library (NCCL) tells which calls a launch was for, and when its
 * kernel has ended they become records in the live profile.
 *
 * Messages have no number: MPI keeps the order of those from one rank to
 * another, and so does NCCL; both ends count them (messages.h).
 *
 * Records are bounded: when they are 8,192, half of the operations are left
 * out, the same ones in all ranks. A kernel has 64 messages at most; of 4,096
 * pairs of ranks they are counted.
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

/* Or for that message, and others: `call` without a number, to or from peer. */
void copse_gpu_message(const struct gpu_collective *call, uint32_t peer);

/*
 * gpu.c: a kernel that has ended, begun by that.  One at a time.  True: it was
 * for *call, or a message of several, of which that is the first.
 */
struct gpu_launch {
	live_ref node;
	uint32_t thread, name;
	uint64_t ns; /* when it began */
};
bool gpu_collectives_work(struct arena *arena, const struct gpu_work *work,
			  const struct gpu_launch *launch,
			  struct gpu_collective *call);
