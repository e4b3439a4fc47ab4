/* SPDX-License-Identifier: BSD-3-Clause */
/* summary-sentences.h - sentences of the first screen that no analysis has. */
#pragma once

#include "analyse/base/report.h"
#include "analyse/diagnose/diagnosis.h"
#include "analyse/split/time-split.h"
#include "run/run.h"

/*
 * split-sentences.c: the largest parts of a run's time in sentences: who, in
 * which path, for how long.  Rules add what to do and what it would gain.
 */

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

/* exit-status.c: how processes ended. */

/* How processes ended, if not well; files that are missing. */
void exit_status_findings(struct report *report, const struct paths *paths);

/*
 * ": import torch 5.53 s, NCCL 1.10 s": what the start of the program went
 * into, divided by `times`; to be freed, NULL with a reason.
 */
char *startup_words(const struct time_split *split, const struct paths *paths,
		    double times);
