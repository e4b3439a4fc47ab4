/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job.c - the names of a job and its ranks.
 *
 * SLURM_PROCID is the rank only under srun: in an mpirun inside a Slurm job it
 * is the launching daemon's task.  So whose words count is found first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "launch/job.h"
#include "launch/process.h"

/* The first of the variables that holds a number, or `none`. */
static int first_number(const char *const variables[], int none)
{
	for (size_t i = 0; variables[i]; i++) {
		const char *text = getenv(variables[i]);
		uint64_t value;

		if (text && str_to_uint(text, &value) && value < 1u << 30)
			return (int)value;
	}
	return none;
}

static void key_of_parent(struct job *job)
{
	snprintf(job->key, sizeof(job->key), "pmi %s %d %llu", job->host,
		 (int)getppid(), (unsigned long long)process_start(getppid()));
}

static void key_alone(struct job *job)
{
	snprintf(job->key, sizeof(job->key), LAUNCHER_ALONE "%s %d %llu",
		 job->host, (int)getpid(),
		 (unsigned long long)process_start(getpid()));
}

/* The variables of each: its own first. */
static void find_job_rank(struct job *job, enum launcher launcher)
{
	static const char *const ranks[][4] = {
		[LAUNCHER_MPIRUN] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK" },
		[LAUNCHER_HYDRA] = { "PMI_RANK" },
		[LAUNCHER_SRUN] = { "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" },
		[LAUNCHER_TORCH] = { "RANK" },
		[LAUNCHER_HOROVOD] = { "HOROVOD_RANK" },
		[LAUNCHER_JAX] = { "JAX_PROCESS_ID" },
		[LAUNCHER_OTHER] = { "PMI_RANK" },
		[LAUNCHER_NONE] = { NULL },
	};
	static const char *const sizes[][4] = {
		[LAUNCHER_MPIRUN] = { "OMPI_COMM_WORLD_SIZE" },
		[LAUNCHER_HYDRA] = { "PMI_SIZE" },
		[LAUNCHER_SRUN] = { "PMI_SIZE", "SLURM_STEP_NUM_TASKS" },
		[LAUNCHER_TORCH] = { "WORLD_SIZE" },
		[LAUNCHER_HOROVOD] = { "HOROVOD_SIZE" },
		[LAUNCHER_JAX] = { "JAX_NUM_PROCESSES" },
		[LAUNCHER_OTHER] = { "PMI_SIZE" },
		[LAUNCHER_NONE] = { NULL },
	};

	static const char *const locals[][4] = {
		[LAUNCHER_MPIRUN] = { "OMPI_COMM_WORLD_LOCAL_RANK" },
		[LAUNCHER_HYDRA] = { "MPI_LOCALRANKID" },
		[LAUNCHER_SRUN] = { "SLURM_LOCALID" },
		[LAUNCHER_TORCH] = { "LOCAL_RANK" },
		[LAUNCHER_HOROVOD] = { "HOROVOD_LOCAL_RANK" },
		[LAUNCHER_JAX] = { NULL },
		[LAUNCHER_OTHER] = { "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK",
				     "FLUX_TASK_LOCAL_ID" },
		[LAUNCHER_NONE] = { NULL },
	};

	job->rank = first_number(ranks[launcher], 0);
	job->local_rank = first_number(locals[launcher],
				       launcher == LAUNCHER_NONE ? 0 : -1);
	job->size = first_number(sizes[launcher], 1);
	if (job->rank >= job->size)
		job->size = job->rank + 1;
}

void job_init(struct job *job)
{
	enum launcher launcher;

	*job = (struct job){ 0 };
	gethostname(job->host, sizeof(job->host) - 1);
	launcher = launcher_find(job->key);
	if (launcher == LAUNCHER_OTHER)
		key_of_parent(job);
	else if (launcher == LAUNCHER_NONE)
		key_alone(job);
	find_job_rank(job, launcher);
	job->launcher = launcher;
	job->launched = launcher != LAUNCHER_NONE;
	batch_init(&job->batch);
	job->same_on_ranks =
		launcher == LAUNCHER_SRUN || launcher == LAUNCHER_NONE;
	/* The step of mpirun is its daemons', which may differ by host. */
	if (launcher != LAUNCHER_SRUN)
		*job->batch.step = 0;
}
