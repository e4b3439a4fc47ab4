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

struct steps { /* all zero: none */
	struct step_series *at;
	size_t count, room;
	struct profile_stamp *stamps; /* of all series, one after another */
	size_t stamp_count, stamp_room;
};

/* As match_add(), match_wanted(), match_rename(). */
int steps_add(struct steps *steps, const struct profile *profile,
	      uint32_t process, const uint32_t *nodes);
void steps_fini(struct steps *steps);
void steps_wanted(const struct steps *steps, bool *wanted);
void steps_rename(struct steps *steps, const struct run *run,
		  const uint32_t *order, const uint32_t *became);

/* run->iterations.  0, or -ENOMEM with a reason. */
int steps_make(struct run *run, const struct steps *steps,
	       const struct matched_events *parts, const struct clocks *clocks,
	       const struct gpu_bins *gpus);
