/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-communicators.h - how far this process has come on each communicator of
 * devices: collective calls that it announced, and those that have ended.
 *
 * The numbers are counted alike on all ranks, so that one which has announced
 * fewer is the one that the others wait for.  Of 64 communicators.
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

/* So many calls have ended. */
void gpu_communicator_end(uint64_t comm, uint64_t count);
