/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-jobs.h - which processes of a run share an MPI_COMM_WORLD, and whose
 * ranks are the run's: a script may have called mpirun several times.
 */
#ifndef MERGE_MPI_JOBS_H
#define MERGE_MPI_JOBS_H

#include "run/run.h"

/*
 * Give each of run->ranks the number of its job, and the run the world of job
 * 1: the one whose processes together were in MPI for the longest time.  Where
 * one of them does not know its world, as in older files, all are one job.  0,
 * or -ENOMEM with a reason.
 */
int mpi_jobs_number(struct run *run);

#endif
