/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * time-bins.h - when each thread and GPU was where: trace points, event
 * records and busy times of GPUs, which the wait states are found with, summed
 * up in bins of one time axis.
 *
 * Method   A trace point stands for the time since the one before it: for its
 *          own weight it is sure, for what was thinned away it is the nearest
 *          witness.  So each moment of a thread is in one bin, and sums of bins
 *          are those of the thread.  Its CPU time is what samples stand for.
 *          The path of a bin is the deepest call path that has at least half of
 *          the time, callees included.  What part of time inside MPI was
 *          waiting is the ratio of what the kept calls of that bin say, or of
 *          the row where none was kept.
 * Memory   16 bytes for each cell, TIME_CELLS at most.
 */
#pragma once

#include "profile/profile.h"
#include "run/run.h"
#include "waits/wait-find.h"

enum {
	TIME_BINS_LEAST = 64,
	TIME_BINS_MOST = 4096,
	TIME_CELLS = 4 << 20,
	TIME_POINTS = 4 /* in a cell, on average: fewer say little */
};

/* What gatherer_time_bins has: the busy times of each device of a process. */
struct gpu_bins {
	struct gpu_bins_row *at;
	size_t count, room;
};

/*
 * For how long a process's GPUs were busy between two times of its clock, if no
 * two of them were at the same time.
 */
uint64_t time_gpu_bins_busy(const struct gpu_bins *gpus, uint32_t process,
			    uint64_t from, uint64_t to);

/*
 * run->timeline, of records and points that were aligned.  Nothing where there
 * are none.  0, or -ENOMEM with a reason.
 */
int time_bins_make(struct run *run, const struct matched_events *events,
		   const struct wait_state *waits, const struct clocks *clocks,
		   const struct gpu_bins *gpus);

/*
 * operations.c: some of the matched operations as they were: who entered the
 * call when, left it when, and waited in it for whom.  For viewers of traces;
 * sums come from all of them (wait-find.h).
 */

#define OPERATION_RECORDS 65536 /* at most; 2 MB in the database */

/*
 * run->waits.operations, on the axis of run->timeline, which must be there:
 * whole operations, those of the highest levels.  0, or -ENOMEM with a reason.
 */
int operations_keep(struct run *run, const struct matched_events *events,
		    const struct wait_state *waits,
		    const struct clocks *clocks);
