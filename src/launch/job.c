/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job.c - the names that launchers give to a job and its ranks.
 *
 * SLURM_PROCID is the rank only under srun: in an mpirun inside a Slurm job it
 * is the launching daemon's task.  So it comes last.
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
static int number(const char *const variables[], int none)
{
	for (size_t i = 0; variables[i]; i++) {
		const char *text = getenv(variables[i]);
		uint64_t value;

		if (text && str_to_uint(text, &value) && value < 1u << 30)
			return (int)value;
	}
	return none;
}

static const char *text_of(const char *variable)
{
	const char *text = getenv(variable);

	return text ? text : "";
}

/*
 * Open MPI makes its namespace from the host's name and the process id of
 * mpirun, which repeat (in containers each time); the port does not.
 */
static void key_of_pmix(struct job *job)
{
	const char *uri = text_of("OMPI_MCA_orte_hnp_uri");
	const char *port = strstr(uri, "tcp");

	snprintf(job->key, sizeof(job->key), "pmix %s %.60s %s",
		 text_of("PMIX_NAMESPACE"), port ? port : "",
		 text_of("SLURM_RESTART_COUNT"));
}

static void key_of_slurm(struct job *job)
{
	snprintf(job->key, sizeof(job->key), "slurm %s.%s %s",
		 text_of("SLURM_JOB_ID"), text_of("SLURM_STEP_ID"),
		 text_of("SLURM_RESTART_COUNT"));
}

/* Hydra's proxies, our parents, all get the address of one mpiexec. */
static void key_of_hydra(struct job *job)
{
	char command[4096];
	size_t size = process_command(getppid(), command, sizeof(command));

	for (size_t at = 0; at < size; at += strlen(command + at) + 1) {
		size_t value = at + strlen(command + at) + 1;

		if (strcmp(command + at, "--control-port") != 0 ||
		    value >= size)
			continue;
		snprintf(job->key, sizeof(job->key), "hydra %.100s",
			 command + value);
		return;
	}
	snprintf(job->key, sizeof(job->key), "pmi %s %d %llu", job->host,
		 (int)getppid(), (unsigned long long)process_start(getppid()));
}

static void key_alone(struct job *job)
{
	snprintf(job->key, sizeof(job->key), "alone %s %d %llu", job->host,
		 (int)getpid(), (unsigned long long)process_start(getpid()));
}

void job_init(struct job *job)
{
	static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK",
					     "PMIX_RANK", "PMI_RANK", NULL };
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					     "SLURM_STEP_NUM_TASKS", NULL };
	static const char *const slurm_rank[] = { "SLURM_PROCID", NULL };

	*job = (struct job){ .launched = true };
	gethostname(job->host, sizeof(job->host) - 1);
	job->rank = number(ranks, -1);
	job->size = number(sizes, 1);
	if (job->rank >= 0 && getenv("PMIX_NAMESPACE")) {
		key_of_pmix(job);
	} else if (job->rank >= 0 && !getenv("SLURM_STEP_ID")) {
		key_of_hydra(job);
	} else if (getenv("SLURM_STEP_ID") && getenv("SLURM_PROCID")) {
		key_of_slurm(job);
		if (job->rank < 0)
			job->rank = number(slurm_rank, 0);
	} else {
		key_alone(job);
		job->launched = false;
		job->rank = 0;
		job->size = 1;
	}
	if (job->rank >= job->size)
		job->size = job->rank + 1;
}
