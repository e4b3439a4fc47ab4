/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steps.h - the steps of a program: the calls that repeat on all ranks.
 *
 * Method   Each rank brings a few contexts whose calls are regular or ordered;
 *          some of them are chosen (step-choice.h).
 * Memory   STEPS_STAMPS stamps of 16 bytes; beyond that all are thinned alike.
 */
#pragma once

#include "profile/profile.h"
#include "run/run.h"
#include "waits/clocks.h"
#include "waits/timeline/time-bins.h"

#define STEPS_STAMPS ((size_t)4 << 20)

struct step_series; /* step-choice.h */

struct steps { /* what gatherer_steps has */
	struct step_series *at;
	size_t count, room;
	struct profile_stamp *stamps; /* of all series, one after another */
	size_t stamp_count, stamp_room;
};

/* run->iterations, of what gatherer_steps has.  0, or -ENOMEM with a reason. */
int steps_make(struct run *run, const struct steps *steps,
	       const struct matched_events *events, const struct clocks *clocks,
	       const struct gpu_bins *gpus);
