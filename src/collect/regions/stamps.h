/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stamps.h - the times at which the calls of one context began, in bounded
 * memory.  They show the steps of a program.
 *
 * Memory    A thread has STAMPS_MOST at most, a context LIVE_STAMPS.  When they
 *           are used up, every second one is dropped, except the first ones.
 *           Contexts with many calls use at most half of the memory, so that
 *           later contexts have stamps, too.
 * Threads   Of one thread, outside its handler.
 */
#pragma once

#include "live/layout.h"

enum {
	STAMPS_MOST = 65536 /* of 16 bytes */
};

struct thread;

/* A call began then; the thread was in MPI for mpi_ns before. */
void stamps_add(struct thread *t, struct live_call *call, uint64_t ns,
		uint64_t mpi_ns);

/* The same, if the call is due. */
static inline void stamps_count(struct thread *t, struct live_call *call,
				uint64_t ns, uint64_t mpi_ns)
{
	if (call->until_stamp)
		call->until_stamp--;
	else
		stamps_add(t, call, ns, mpi_ns);
}
