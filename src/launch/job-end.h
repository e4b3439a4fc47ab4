/* SPDX-License-Identifier: BSD-3-Clause */
/* job-end.h - why the batch system ends the job of this process. */
#ifndef LAUNCH_JOB_END_H
#define LAUNCH_JOB_END_H

#include "base/batch.h"

/*
 * Ask Slurm by scontrol(1) and put the reason into b->end: "time limit",
 * "cancelled" and so on.  It stays empty when the job goes on (only a step was
 * cancelled), when there is no Slurm, and when no answer comes within a second.
 */
void job_end_ask(struct batch *b);

/* The reason in the output of scontrol; NULL: the job goes on. */
const char *job_end_in(const char *answer);

#endif
