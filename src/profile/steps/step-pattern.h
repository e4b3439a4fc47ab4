/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-pattern.h - how regular the calls of a context are, and how many of them
 * are in a step.
 *
 * Method   A step has `per` calls if the position of a call among `per`
 *          explains much of the variance of the intervals' logarithms, and most
 *          of the time is in pauses, four times as long as the shortest
 *          interval.  (Without logarithms a few interrupted intervals would
 *          decide.)  Regular steps take between half and twice the median; of
 *          random calls 46 % do.  A context is not regular if these steps have
 *          next to none of the time: its calls come in bursts.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Calls in a step, of stamps in their order; 1: no pattern, or too few. */
uint32_t step_calls(const struct profile_stamp *at, size_t count);

/*
 * The same for all stamps of a context whose number of calls is a multiple, and
 * whose pauses have two fifths of the time; 0 when out of memory.
 */
uint32_t step_rounds(const struct profile_step *step,
		     const struct profile_stamp *at);

/*
 * The share of regular steps, each of `per` stamps; 0: too few steps.  -1 when
 * out of memory.
 */
double step_regular(const struct profile_stamp *at, size_t count, uint32_t per);

/*
 * Rounds stamps of so many steps to a thousandth of a mean step: lower bits are
 * 0 and take no room in files.
 */
void steps_round(struct profile_stamp *at, size_t count, uint64_t steps);

/*
 * Which loops the calls of a rank are in, and which of them are
 * inside of others.
 *
 * Groups   What a function calls a few times from one line, whenever it is
 *          called, is one step.
 * Order    Contexts that are called equally often, and in turns each time, are
 *          in one loop, however irregular it is: of n calls each, chance makes
 *          that once in (2n over n) / 2 times.  What else is called there must
 *          be called equally often in each turn, half of it at least.
 * Nesting  A loop is inside of another one that is as long, if the calls of
 *          that one are all that comes between its own, as the call tree has
 *          it, and cost time.  (Output that costs little is no step.)
 */

#define LOOP_ROUNDS_LEAST 4 /* of one that is told by order */

/*
 * Finds `ordered` and `outer` of all p->steps, which have `per` and `regular`
 * as clocks tell: those of groups are changed.  0, or -ENOMEM with a reason.
 */
int step_loops(struct profile *p);
