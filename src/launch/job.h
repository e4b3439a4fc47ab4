/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job.h - the job and the rank of this process, as the launcher reports them:
 * before the program starts, and also for programs without MPI.
 */
#pragma once

#include <stdbool.h>

#include "base/batch.h"
#include "base/launcher.h"

struct job {
	char key[LAUNCHER_KEY]; /* as launcher.h, but never "" */
	char host[64];
	enum launcher launcher;
	bool launched;  /* by mpirun, srun or their like */
	int rank, size; /* by the launcher; 0 and 1 without one */
	int local_rank; /* among the ranks of this host; -1: not known */
	struct batch batch;
	bool same_on_ranks; /* of `batch`: by srun, or without a launcher */
};

/* From the environment and the process table; does not fail. */
void job_init(struct job *job);

/* Why the batch system ends the job of this process. */

/*
 * Ask Slurm by scontrol(1) and put the reason into b->end: "time limit",
 * "cancelled" and so on.  It stays empty when the job goes on (only a step was
 * cancelled), when there is no Slurm, and when no answer comes within a second.
 */
void job_end_ask(struct batch *b);

/* The reason in the output of scontrol; NULL: the job goes on. */
const char *job_end_in(const char *answer);

/*
 * The newest run of Slurm's job of that number that goes on in the folder in
 * which it was submitted, and whose name ends with ".copse"; to be freed. NULL:
 * there is none, no such job, or no Slurm.
 */
char *job_run_directory(const char *job);

/*
 * What the directory of a job's profiles is called.
 *
 * Ownership   Names are the caller's, to be freed.
 */

/*
 * The pattern with each %LETTER of batch.def replaced; an unknown value becomes
 * "none".  For "", and in folders such as ".", to which no number can be added,
 * it is PROGRAM.copse, with the number of the task in a job array.  0; -EINVAL
 * with a reason when a letter has no meaning; or -ENOMEM.
 */
int output_name(char **to, const char *pattern, const char *program,
		const struct job *job);
