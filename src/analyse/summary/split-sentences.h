/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split-sentences.h - the largest parts of a run's time in sentences: who, in
 * which path, for how long.  Rules add what to do and what it would gain.
 */
#pragma once

#include "analyse/diagnose/diagnosis.h"
#include "analyse/split/time-split.h"

/* "Of 56.1 s: 42 % waiting in MPI, 31 % wanting a core, …" */
void split_say_shares(struct report *report, const struct time_split *split);

/*
 * A sentence for each part above 5 % of the whole, the largest first, at most
 * five; of work only where it is most.  `diagnosis` is what rules know of them.
 * 0, or -ENOMEM with a reason.
 */
int split_say_parts(struct report *report, const struct time_split *split,
		    const struct blames *blames,
		    const struct diagnosis *diagnosis);
