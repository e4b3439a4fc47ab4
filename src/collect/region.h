/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.h - known context: what the adapters (MPI, later GPU) tell the
 * collector about the calls that they stand in front of.
 *
 * Between region_enter() and copse_region_leave() the thread's context is
 * known: samples go below the region's node without unwinding what is inside.
 * The call path is found from the caller's frame, through the thread's memo.
 *
 * Threads   Each call concerns the calling thread.
 * Signals   Not to be called from handlers.  A sample may interrupt any point.
 * Failure   Nothing fails visibly: without a live profile all calls return
 *           quickly and do nothing, losses are counted.
 */
#ifndef COLLECT_REGION_H
#define COLLECT_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "live/layout.h"

/* A name of the program's own table, registered at its first use. */
struct region_name {
	const char *text;
	uint32_t class, detail; /* enum live_name_class, enum live_mpi_class */
	uint32_t index;      /* in the live profile + 1; 0: not yet; atomic */
	uint32_t generation; /* of the live profile that the index is for */
};

struct region {
	uintptr_t pc, sp, fp; /* of the caller, at its call */
	struct region_name *name;
	uint32_t node;   /* found late: when a sample or the leave needs it */
	uint32_t nested; /* inside another region: not counted */
	uint64_t start_ns;
	struct region *outer;
};

/*
 * Take the frame of the function that contains the call.  That function must
 * be compiled with -fno-omit-frame-pointer.
 */
#define region_enter(r, region_name_)                                          \
	do {                                                                   \
		uintptr_t *frame_ = __builtin_frame_address(0);                \
		(r)->fp = frame_[0];                                           \
		(r)->pc = frame_[1];                                           \
		(r)->sp = (uintptr_t)(frame_ + 2);                             \
		(r)->name = (region_name_);                                    \
		copse_region_enter(r);                                         \
	} while (0)

void copse_region_enter(struct region *r);

/*
 * Just before and just after the wrapped function itself is called, so that
 * the wrapper's own work is not counted as the program's.
 */
struct region_values {
	uint64_t sent, received; /* bytes */
};
/* Adds one call, its time and the bytes to the region's node, and leaves. */
void copse_region_leave(struct region *r, const struct region_values *values);

/* True when this region is inside another: skip the work of counting. */
static inline bool region_is_nested(const struct region *r)
{
	return r->nested;
}

/*
 * What an MPI adapter knows about this process.  copse_mpi_init() makes the
 * live profile when there is none yet: an MPI rank always leaves one.
 */
void copse_mpi_init(int rank, int size, const char *library);
void copse_mpi_finalize(void);   /* MPI_Finalize returned */
void copse_mpi_abort(int code);  /* MPI_Abort is about to be called */
void copse_mpi_control(bool on); /* MPI_Pcontrol(0) or (1) */

/* A communicator was met; a handle for copse_comm_call(), 0 when full. */
live_ref copse_comm_new(int size, int rank, bool inter);
void copse_comm_call(live_ref comm);

#endif
