/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-time.h - each process's time in MPI, in a whole run or below a phase: the
 * one place that says how much of it was waiting.
 *
 * How long a rank waited is known where parts of its calls, 95 % at least, were
 * joined with those of other ranks; in another run waiting is NAN.
 */
#pragma once

#include "run/run.h"

struct mpi_time {       /* seconds, without MPI_Init */
	double total;   /* in MPI */
	double io;      /* of it, in functions for files */
	double waiting; /* of it, for other ranks; NAN: not known */
	double openmp;  /* outside MPI, lost by OpenMP; of a run */
};

/*
 * Of each of run->ranks, in the run or, unless it is the root, below `node`.
 * Of a run it is the time of the thread of MPI_Init; below a phase that of the
 * threads that were in it.  To be freed; NULL with a reason.
 */
struct mpi_time *mpi_times(const struct run *run, uint32_t node);

/* What is neither waiting nor files; NAN: not known. */
double mpi_time_transfer(const struct mpi_time *time);

/* Seconds of all CPU time that MPI took; below 0: out of memory. */
double mpi_time_cpu(const struct run *run);
