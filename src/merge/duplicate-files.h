/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * duplicate-files.h - several files of one process, as a user's `cp` leaves
 * them: the first counts, struct input says so of the others.
 */
#pragma once

#include "merge/inputs.h"
#include "run/run.h"

/*
 * Mark the inputs of which the run, which has read all of them in their order,
 * knows the process by one before.  0, or -ENOMEM with a reason.
 */
int duplicates_find(struct inputs *inputs, const struct run *run, bool *found);

/* "the same process as in rank-0.h5: left out", to be freed; NULL: no memory.
 */
char *duplicates_say(const struct inputs *inputs, const struct input *input);
