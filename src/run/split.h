/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split.h - the time of all ranks and threads, split once into parts that
 * exclude each other and whose sum is exactly the whole.
 *
 * Whole   Of each member the elapsed time of its first thread, but pauses and
 *         waits for threads that worked meanwhile, that of each thread of a
 *         team of OpenMP, and that of each other thread which had a core for
 *         2 % of it; of the rest, and of small processes, the CPU time.
 * Exact   Times in MPI, its waits, and those of OpenMP, locks and GPUs are
 *         measured begin to end; they come first.  What of the rest was on a
 *         core is by samples.  What was off a core is divided by what the
 *         kernel counted as waiting for one; low_ns and high_ns say how sure
 *         that is.
 * Paths   The parts of a path are sums over all ranks.  What has no known path
 *         is at node 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "run/run.h"

enum split_part {
#define PART(id, ...) SPLIT_##id,
#include "run/split.def"
#undef PART
	SPLIT_PARTS
};

extern const struct split_name {
	const char *name, *title, *meaning;
} split_names[];

/* Fill run->split, unless the run has it.  0, or -errno with a reason. */
int split_make(struct run *run);

/* It says how long ranks waited: 95 % of their operations were joined. */
bool split_knows_waits(const struct run *run);

/* MPI_Init or MPI_Init_thread. */
bool split_is_init(const struct run *run, uint32_t node);
