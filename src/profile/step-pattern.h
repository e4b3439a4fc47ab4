/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-pattern.h - how regularly something happens, and how often in each step.
 *
 * Method   A step has `per` calls if the intervals from one call to the next
 *          repeat so: if which of `per` calls it is explains much of the
 *          variance of the logarithms of intervals, and most of the time is in
 *          pauses, four times as long as the shortest interval.  (Of the
 *          intervals themselves the few that were interrupted would be all.)
 *          Steps are regular as far as they take between half and twice the
 *          median; of calls that come at random it is 0.46.  They are not if
 *          these have next to nothing of the time, as those of bursts.
 */
#ifndef PROFILE_STEP_PATTERN_H
#define PROFILE_STEP_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Of moments in their order; 1 where nothing repeats, or they are few. */
uint32_t step_calls(const struct profile_stamp *at, size_t count);

/*
 * The same of all stamps of a context, where each step has as many calls as
 * any other, and pauses have two fifths of the time; 0 when out of memory.
 */
uint32_t step_rounds(const struct profile_step *step,
		     const struct profile_stamp *at);

/*
 * The share of steps that are regular, each of `per` stamps; 0: too few to
 * tell.  -1 when out of memory.
 */
double step_regular(const struct profile_stamp *at, size_t count, uint32_t per);

/*
 * Stamps of so many steps, to a thousandth of a usual one: bits below that are
 * 0, so that files have next to nothing of them.
 */
void steps_round(struct profile_stamp *at, size_t count, uint64_t steps);

#endif
