/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efficiency.h - the factors of parallel efficiency that the POP Centre of
 * Excellence defines (doc/copse-report.1 cites them), from each rank's time
 * inside and outside MPI.
 */
#ifndef ANALYSE_EFFICIENCY_H
#define ANALYSE_EFFICIENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "merge/run.h"

struct efficiency {
	size_t ranks;   /* that called MPI_Init; 0: the rest is 0 too */
	double elapsed; /* run time: the longest MPI_Init to MPI_Finalize */
	double useful_mean, useful_max;
	double balance, communication, parallel; /* 0 … 1 */
	double mpi_mean, mpi_min, mpi_max; /* share of the time inside MPI */
	size_t mpi_min_rank, mpi_max_rank; /* indices into run->ranks */
};

void efficiency_of(struct efficiency *e, const struct run *run);

/* Seconds of a rank between MPI_Init and MPI_Finalize outside MPI. */
double efficiency_useful(const struct run_rank *rank);

/* Share of a rank's time that was inside MPI. */
double efficiency_mpi(const struct run_rank *rank);

#endif
