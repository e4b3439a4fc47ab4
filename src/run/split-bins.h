/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split-bins.h - when each part of the time was, by bins of the timeline, and
 * the rounding that all rows of the split share.
 *
 * Sums    Of each process and part they are the split's.  When it was is by the
 *         cells: in MPI, waiting, on a core, off a core.  A part of which a
 *         process's cells have nothing is spread over the time that is known.
 */
#pragma once

#include <stdint.h>

#include "run/run.h"

/* Whole nanoseconds, whose sum is that of what was added, rounded. */
struct rounding {
	double exact;
	uint64_t given;
};

uint64_t split_rounding_next(struct rounding *sum, double ns);

/*
 * Fill run->split.bins from run->split.ranks and the timeline, if there is one;
 * part_of[] is by node.  0, or -ENOMEM with a reason.
 */
int split_bins_make(struct run *run, const uint8_t *part_of);
