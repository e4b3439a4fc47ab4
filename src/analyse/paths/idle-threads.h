/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * idle-threads.h - wall time of threads that only waited, left out of what
 * reports say of wall.time, and said beside it.
 *
 * Rule   Threads that began with the same function only waited if they were on
 *        a core, or in functions that read and write files, for less than 2 %
 *        of their time, on a core in no rank for more than 2 % of the run, and
 *        were never seen in a function of the program itself, in MPI, in CUDA
 *        or in a phase.  Of several runs, all have to say so.
 */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

/* From `runs`, ended by NULL.  0, or -errno with a reason. */
int idle_threads_leave_out(struct run *const runs[]);

/* What was left out of a run's metric, in seconds; NULL has none. */
double idle_threads_sum(const struct run_metric *metric);

/*
 * Say what was left out of the metric, if it was: a sentence, and behind other
 * tables one for programs.  The metric may be NULL.
 */
void idle_threads_say(struct report *report, const struct run *const runs[],
		      const char *metric);
