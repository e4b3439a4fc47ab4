/* SPDX-License-Identifier: BSD-3-Clause */
/* job-end.h - why the batch system ends the job that we run in. */
#ifndef LAUNCH_JOB_END_H
#define LAUNCH_JOB_END_H

#include "base/batch.h"

/*
 * Ask Slurm, by scontrol(1), and put what it says into b->end: "time limit",
 * "cancelled" and so on.  It stays empty where the job is to go on, as when one
 * step of it was cancelled, where there is no Slurm, and where no answer comes
 * within a second.
 */
void job_end_ask(struct batch *b);

/* The same of what scontrol has printed; NULL: nothing ends the job. */
const char *job_end_in(const char *answer);

#endif
