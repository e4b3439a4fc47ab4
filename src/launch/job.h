/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job.h - the job and the rank of this process, as the launcher reports them:
 * before the program starts, and also for programs without MPI.
 */
#ifndef LAUNCH_JOB_H
#define LAUNCH_JOB_H

#include <stdbool.h>

#include "base/batch.h"
#include "base/launcher.h"

struct job {
	char key[LAUNCHER_KEY]; /* as launcher.h, but never "" */
	char host[64];
	enum launcher launcher;
	bool launched;  /* by mpirun, srun or their like */
	int rank, size; /* by the launcher; 0 and 1 without one */
	struct batch batch;
	bool same_on_ranks; /* of `batch`: by srun, or without a launcher */
};

/* From the environment and the process table; does not fail. */
void job_init(struct job *job);

#endif
