/* SPDX-License-Identifier: BSD-3-Clause */
/* run-processes.h - a process of a run, in the order in which files are read.
 */
#pragma once

#include "run/run.h"
#include "profile/profile.h"

/* The end of measuring; of one that was cut off, its last sign. */
uint64_t process_end(const struct profile *p);

/*
 * Its times, of a profile that was checked; by any thread.  0, or -ENOMEM with
 * a reason.
 */
int process_times(struct run_rank *to, const struct profile *p);

/* What else the profile says about its process; strings go to the run's. */
int process_fill(struct run_rank *to, struct run *run, const struct profile *p,
		 const char *source);

/*
 * Choose the MPI job whose ranks are the run's, and its world; bring run->ranks
 * into its order and count the members; order[i] becomes the new index of entry
 * i.  0, or -ENOMEM with a reason.
 */
int processes_sort(struct run *run, uint32_t *order);

/*
 * Ranks of the world that no member stands for become problems; `directory`
 * may know why.
 */
int processes_missing(struct run *run, const char *directory);

/*
 * Which processes of a run share an MPI_COMM_WORLD, and whose
 * ranks are the run's: a script may have called mpirun several times.
 */

/*
 * Give each of run->ranks the number of its job, and the run the world of job
 * 1: the one whose processes together were in MPI for the longest time.  Where
 * one of them does not know its world, as in older files, all are one job.  0,
 * or -ENOMEM with a reason.
 */
int mpi_jobs_number(struct run *run);

/*
 * launch-ranks.c, before that: where MPI knows of no world with more than one
 * process, ranks are those of torchrun or Horovod, if there are any: one
 * process for each.  Which processes became another program is known.  0, or
 * -ENOMEM with a reason.
 */
int launch_ranks_take(struct run *run, const bool *predecessors);

/* By the first word of its command: it runs scripts, and starts others. */
bool process_is_shell(const struct run *run, const struct run_rank *r);

/* What a process that Python started does for its program. */

/*
 * "DataLoader worker", "process of work": by the function that multiprocessing
 * called in it, as samples saw, else by the command line.  Empty: nothing is
 * known, or it is no such process.  To be freed; NULL when out of memory.
 */
char *process_role(const struct profile *p);
