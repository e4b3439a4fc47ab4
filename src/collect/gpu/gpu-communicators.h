/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-communicators.h - how far this process has come on each communicator of
 * devices: collective calls that it announced, and those that have ended.
 *
 * The numbers are counted alike on all ranks, so that one which has announced
 * fewer is the one that the others wait for.  Of 64 communicators.
 *
 * Messages are counted apart, by those from one rank to another: NCCL has no
 * number for them, and keeps their order.  Of 4,096 such pairs.
 *
 * Threads   Any.
 * Signals   Not to be called from handlers.
 */
#pragma once

#include "collect/gpu/gpu-collectives.h"

/* It is there, of so many ranks, before any call. */
void gpu_communicator_open(uint64_t id, uint32_t size, uint32_t rank);

/*
 * One more call, launched in that context (0: not known): how many there are
 * now; 0: not known.
 */
uint64_t gpu_communicator_announce(const struct gpu_collective *call,
				   live_ref node);

/*
 * The number, from 1, of the next message of a pair of ranks, which is any
 * number but 0; 0: there are too many pairs.
 */
uint64_t gpu_communicator_message(uint64_t pair);

/* So many calls have ended. */
void gpu_communicator_end(uint64_t comm, uint64_t count);
