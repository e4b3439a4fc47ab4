/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * findings.h - what is worth saying about a run, in sentences.
 */
#pragma once

#include "analyse/mpi/wait-causes.h"
#include "analyse/unwind-coverage.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/paths.h"
#include "analyse/report.h"

/* How processes ended, if not well; files that are missing. */
void findings_ends(struct report *report, const struct run *run);

/* That there were other MPI jobs, and whose ranks are shown. */
void findings_jobs(struct report *report, const struct run *run);

/* Ranks that waited for cores.  0, or -ENOMEM. */
int findings_crowded(struct report *report, const struct run *run);

/* Of its time, what a process's first thread waited for one; 0: not known. */
double crowded_rank(const struct run_rank *rank);

/* Of their time, what members waited for a core; NAN: not known. */
double crowded_share(const struct run *run);

/*
 * What an even load would save, by `metric` (the time that is compared; NULL:
 * nothing is said): for processes of which it is not known who waited for
 * whom.  0, or -ENOMEM.
 */
int findings_uneven(struct report *report, const struct paths *paths,
		    const struct efficiency *efficiency,
		    const struct run_metric *metric);

/*
 * Who waited for whom, and where that was: what is worth a sentence, but for
 * those who lacked a core most of the time, as findings_crowded() says.  *said
 * (may be NULL): how many there are, these counted.  0, or -ENOMEM.
 */
int findings_waits(struct report *report, const struct blames *blames,
		   size_t *said);

/* What GPUs did, when they did anything.  0, or -ENOMEM. */
int findings_gpu(struct report *report, const struct paths *paths);

/* How much memory GPUs had, and what leaks. */
int findings_gpu_memory(struct report *report, const struct paths *paths);

/* As notes: what wait states are worth. */
void findings_joined(struct report *report, const struct run *run);

/* As warnings: a run, or ranks, with too few samples to say anything. */
void findings_few(struct report *report, const struct run *run);

/*
 * As notes: in one line what shares of `metric` (NULL: none) are worth, what
 * measuring cost and what was lost; and what else a reader must know of it.
 */
void findings_quality(struct report *report, const struct run *run,
		      const struct run_metric *metric,
		      const struct complete *paths);

/* The same as notes at length, with clock and rate. */
void findings_measuring(struct report *report, const struct run *run,
			const struct run_metric *metric);

/* The achieved rate: samples per second of the time that is sampled. */
double findings_rate(const struct run *run);

/* Seconds of CPU time that measuring a process took. */
double findings_cost(const struct run_rank *r);
/* And its CPU time, with that of threads that had no sample, to compare. */
double findings_cpu(const struct run_rank *r);

/* A warning, where most call paths end early. */
void findings_rootless(struct report *report, const struct run *run,
		       const struct complete *paths);

/* The losses, as a table for programs. */
void findings_losses(struct report *report, const struct run *run);

/* A note, when time of MPI calls is partly an estimate. */
void findings_untimed(struct report *report, const struct run *run);
