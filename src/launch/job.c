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

static bool by_srun(void)
{
	if (getenv("PMIX_NAMESPACE"))
		return !strncmp(text_of("PMIX_NAMESPACE"), "slurm.", 6);
	return getenv("SLURM_STEP_ID") && getenv("SLURM_PROCID");
}

/*
 * A job that is put back into the queue keeps its number, and numbers begin
 * again where a cluster is set up anew: srun's port tells such steps apart.
 */
static void add_srun(struct job *job)
{
	size_t length = strlen(job->key);

	snprintf(job->key + length, sizeof(job->key) - length,
		 " %.40s %.10s %.10s", text_of("SLURM_CLUSTER_NAME"),
		 text_of("SLURM_RESTART_COUNT"),
		 text_of("SLURM_SRUN_COMM_PORT"));
}

/*
 * Open MPI makes its namespace from the host's name and the process id of
 * mpirun, which repeat (in containers each time); the port does not.  It
 * stands last.  What Slurm says of the job is not known on the hosts that
 * mpirun reaches by ssh.
 */
static void key_of_pmix(struct job *job)
{
	const char *uri = text_of("OMPI_MCA_orte_hnp_uri");
	size_t length = strlen(uri), most = 60;

	snprintf(job->key, sizeof(job->key), "pmix %.60s %s",
		 text_of("PMIX_NAMESPACE"),
		 uri + (length > most ? length - most : 0));
	if (by_srun())
		add_srun(job);
}

static void key_of_slurm(struct job *job)
{
	snprintf(job->key, sizeof(job->key), "slurm %.40s.%.40s",
		 text_of("SLURM_JOB_ID"), text_of("SLURM_STEP_ID"));
	add_srun(job);
}

/* Hydra's proxies, our parents, all get the address of one mpiexec. */
static bool key_of_hydra(struct job *job)
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
		return true;
	}
	return false;
}

static void key_of_parent(struct job *job)
{
	snprintf(job->key, sizeof(job->key), "pmi %s %d %llu", job->host,
		 (int)getppid(), (unsigned long long)process_start(getppid()));
}

static void key_alone(struct job *job)
{
	snprintf(job->key, sizeof(job->key), "alone %s %d %llu", job->host,
		 (int)getpid(), (unsigned long long)process_start(getpid()));
}

/* mpirun inside a Slurm job is told by its own words, which srun's lack. */
static void find_key(struct job *job)
{
	if (job->rank >= 0 && getenv("PMIX_NAMESPACE"))
		key_of_pmix(job);
	else if (job->rank >= 0 && key_of_hydra(job))
		return;
	else if (by_srun())
		key_of_slurm(job);
	else if (job->rank >= 0)
		key_of_parent(job);
	else
		key_alone(job);
}

/* The step of mpirun is that of its daemons, which differs between hosts. */
static void find_batch(struct job *job)
{
	batch_init(&job->batch);
	job->told_alike = by_srun() || !job->launched;
	if (!by_srun())
		*job->batch.step = 0;
}

void job_init(struct job *job)
{
	static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK",
					     "PMIX_RANK", "PMI_RANK", NULL };
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					     "SLURM_STEP_NUM_TASKS", NULL };
	static const char *const slurm_rank[] = { "SLURM_PROCID", NULL };

	*job = (struct job){ 0 };
	gethostname(job->host, sizeof(job->host) - 1);
	job->rank = number(ranks, -1);
	job->launched = job->rank >= 0 || by_srun();
	job->size = job->launched ? number(sizes, 1) : 1;
	find_key(job);
	find_batch(job);
	if (job->rank < 0)
		job->rank = job->launched ? number(slurm_rank, 0) : 0;
	if (job->rank >= job->size)
		job->size = job->rank + 1;
}
