/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-loops.h - which loops the calls of a rank are in, and which of them are
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
#ifndef PROFILE_STEP_LOOPS_H
#define PROFILE_STEP_LOOPS_H

#include "profile/profile.h"

#define LOOP_ROUNDS_LEAST 4 /* of one that is told by order */

/*
 * Finds `ordered` and `outer` of all p->steps, which have `per` and `regular`
 * as clocks tell: those of groups are changed.  0, or -ENOMEM with a reason.
 */
int step_loops(struct profile *p);

#endif
