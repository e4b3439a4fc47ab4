/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steps.h - the steps of a program: the calls that repeat on all ranks.
 *
 * Method   Each rank brings a few contexts whose calls are regular or ordered;
 *          some of them are chosen.
 * Memory   STEPS_STAMPS stamps of 16 bytes; beyond that all are thinned alike.
 */
#pragma once

#include "profile/profile.h"
#include "run/run.h"
#include "waits/clocks.h"
#include "waits/timeline/time-bins.h"

#define STEPS_STAMPS ((size_t)4 << 20)

struct step_series; /* below */

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

/*
 * step-choice.c: which contexts of all ranks are the steps of the program, and
 * of its parts.
 *
 * Method   A step is a context that most ranks have, with equally many calls.
 *          Marks are chosen first, then outermost loops; among those nearly as
 *          regular as the most regular one, the one with the most steps.  The
 *          same is repeated before and after the chosen loop.
 *          If some ranks have nearly as many calls as most, they answer
 *          messages as they come, and the context is no step.  Nor is it a step
 *          if a rank begins a sixteenth of the calls after another one has
 *          finished that part.
 * Lines    Calls of one function from several lines in turns are a step if
 *          ranks use different lines in the same turn, and no loop is around
 *          them whose calls come in the same turn on all ranks.
 */

enum {
	STEP_CHOICES = 16
};

struct step_series { /* of one process; a raw node may become another's */
	uint32_t process, node;
	uint32_t head, stride, per, count, marked, ordered, outer, lines;
	uint64_t calls;
	double regular;
	size_t first; /* of the stamps of all */
};

struct step_choice { /* series first … end - 1: one context, as often called */
	size_t first, end, ranks;
	size_t others; /* series of other numbers of calls */
	uint64_t calls;
	uint32_t per;
	bool marked, ordered, outer;
	bool lines, differ; /* of several lines; not the same on all ranks */
	bool about;         /* some rank calls it nearly as often as most */
	double regular;
	int64_t begin_ns, end_ns; /* the first and last call of one rank */
};

/* The number of choices, the main one first; or -ENOMEM. */
int step_choices(const struct run *run, const struct steps *steps,
		 const struct clocks *clocks,
		 struct step_choice to[STEP_CHOICES]);

/* Is the series of the choice the process's first one? */
bool step_is_usual(const struct steps *steps, const struct step_choice *choice,
		   size_t series);
