/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efficiency.h - the factors of parallel efficiency that the POP Centre of
 * Excellence defines (doc/copse-report-efficiency.1 cites them), from each
 * rank's time inside and outside MPI, in a run or in one of its phases.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyse/mpi/mpi-time.h"
#include "analyse/base/report.h"
#include "run/run.h"

struct efficiency {
	size_t ranks;   /* that took part; 0: the rest is 0 too */
	double elapsed; /* run time: the longest of a rank, seconds */
	double outside_mean, outside_max; /* of MPI, on a rank's first thread */
	double useful_mean, useful_max;   /* without what OpenMP lost of it */
	double balance, communication, openmp, parallel; /* 0 … 1 */
	/* communication is their product; NAN: waiting is not known */
	double serialisation, transfer;
	double mpi_mean, mpi_min, mpi_max; /* time_split_mpi(); of a run */
	double all;        /* of the whole time of a run, work (run/split.h) */
	double at_work;    /* of what parallel leaves of it; at most 1 */
	double standstill; /* of the whole time, left out (run/standstill.h) */
	double still;      /* the same, seconds of all ranks */
	/* indices into run->ranks */
	size_t mpi_min_rank, mpi_max_rank, outside_max_rank, useful_max_rank;
};

/* Processes that MPI_Comm_spawn started and that the run does not have. */
size_t efficiency_unseen(const struct run *run);

/*
 * From MPI_Init to MPI_Finalize; of no ranks where there are unseen ones: these
 * may have done all the work.  0, or -ENOMEM with a reason.
 */
int efficiency_of(struct efficiency *e, const struct run *run);

/*
 * In the phase that is this node, of the members that were in it; what runs
 * without MPI is useful.  0, or -ENOMEM with a reason.
 */
int efficiency_of_phase(struct efficiency *e, const struct run *run,
			uint32_t node);

/*
 * What both compute: of `count` processes, of whom those with elapsed[i] > 0
 * seconds took part, mpi[i] of it inside MPI.
 */
void efficiency_from(struct efficiency *e, const double *elapsed,
		     const struct mpi_time *mpi, size_t count);

/* Seconds of a rank between MPI_Init and MPI_Finalize outside MPI. */
double efficiency_useful(const struct run_rank *rank);

/* The factors in a sentence, and the processes that they do not cover. */
void efficiency_line(struct report *report, const struct efficiency *e,
		     const struct run *run);
