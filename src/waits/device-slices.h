/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device-slices.h - what GPUs did, calls of CUDA and ranges, each with its
 * times
 * (--gpu-trace), on one clock.
 *
 * Memory     is bounded: of more than SLICE_ROWS each process keeps the last
 *            ones, all of them as many at most.  What is left does not depend
 *            on the order of the profiles.
 */
#pragma once

#include "run/gatherer.h"
#include "waits/clocks.h"
#include "waits/match-events.h"

#define SLICE_ROWS ((size_t)2 << 20)

struct device_slices; /* a state of the gatherer */

extern const struct gatherer gatherer_device_slices;

/* At most so many, instead of SLICE_ROWS. */
void device_slices_bound(struct device_slices *state, size_t rows);

/* run->slices.  0, or -ENOMEM with a reason. */
int device_slices_make(struct run *run, struct device_slices *state,
		       const struct matched_events *events,
		       const struct clocks *clocks);
