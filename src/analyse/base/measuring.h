/* SPDX-License-Identifier: BSD-3-Clause */
/* measuring.h - what the numbers of a run are worth. */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

/*
 * unwind-coverage.c: how many of all ticks have a call path from the program's
 * or the thread's start.
 */

struct complete {
	double ticks;    /* samples, and those that were dropped */
	double complete; /* samples whose path does not end early */
	double dropped;  /* of ticks */
};

/* 0, or -ENOMEM with a reason. */
int coverage_of(struct complete *to, const struct run *run);

/* measuring.c */

/* As warnings: a run, or ranks, with too few samples to say anything. */
void measuring_few(struct report *report, const struct run *run);

/*
 * As notes: in one line what shares of `metric` (NULL: none) are worth, what
 * measuring cost and what was lost; and what else a reader must know of it.
 */
void measuring_quality(struct report *report, const struct run *run,
		       const struct run_metric *metric,
		       const struct complete *paths);

/* The same as notes at length, with clock and rate. */
void measuring_findings(struct report *report, const struct run *run,
			const struct run_metric *metric);

/* The achieved rate: samples per second of the time that is sampled. */
double measuring_rate(const struct run *run);

/* Seconds of CPU time that measuring a process took. */
double measuring_cost(const struct run_rank *r);
/* And its CPU time, with that of threads that had no sample, to compare. */
double measuring_cpu(const struct run_rank *r);

/* A warning, where most call paths end early. */
void measuring_rootless(struct report *report, const struct run *run,
			const struct complete *paths);

/* The losses, as a table for programs. */
void measuring_losses(struct report *report, const struct run *run);

/* A note, when time of MPI calls is partly an estimate. */
void measuring_untimed(struct report *report, const struct run *run);
