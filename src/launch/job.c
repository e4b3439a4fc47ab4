/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job.c - the names that launchers give to a job and its ranks.
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

enum {
	MOST_SHELLS = 8 /* between a launcher and copse run */
};

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
static void key_of_mpirun(struct job *job)
{
	const char *uri = text_of("OMPI_MCA_orte_hnp_uri");
	size_t length = strlen(uri), most = 60;

	snprintf(job->key, sizeof(job->key), "pmix %.60s %s",
		 text_of("PMIX_NAMESPACE"),
		 uri + (length > most ? length - most : 0));
}

static void key_of_srun(struct job *job)
{
	if (getenv("PMIX_NAMESPACE"))
		snprintf(job->key, sizeof(job->key), "pmix %.60s",
			 text_of("PMIX_NAMESPACE"));
	else
		snprintf(job->key, sizeof(job->key), "slurm %.40s.%.40s",
			 text_of("SLURM_JOB_ID"), text_of("SLURM_STEP_ID"));
	add_srun(job);
}

static bool key_of_proxy(struct job *job, pid_t pid)
{
	char command[4096];
	size_t size = process_command(pid, command, sizeof(command));

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

/* Hydra's proxies all get the address of one mpiexec; shells may be between. */
static bool key_of_hydra(struct job *job)
{
	pid_t pid = getppid();

	for (int i = 0; i < MOST_SHELLS && pid > 1; i++) {
		if (key_of_proxy(job, pid))
			return true;
		pid = process_parent(pid);
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

/*
 * Launchers start their daemons by others: mpirun's and Hydra's may be a step
 * of srun, whose variables the ranks then see beside those of their own.
 */
static enum launcher find_launcher(struct job *job)
{
	bool slurms = !strncmp(text_of("PMIX_NAMESPACE"), "slurm.", 6);

	if (getenv("OMPI_COMM_WORLD_RANK"))
		return LAUNCHER_MPIRUN;
	if (getenv("PMI_RANK") && key_of_hydra(job))
		return LAUNCHER_HYDRA;
	if (getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK"))
		return slurms ? LAUNCHER_SRUN : LAUNCHER_MPIRUN;
	if (getenv("SLURM_STEP_ID") && getenv("SLURM_PROCID"))
		return LAUNCHER_SRUN;
	return getenv("PMI_RANK") ? LAUNCHER_OTHER : LAUNCHER_NONE;
}

static void find_key(struct job *job, enum launcher launcher)
{
	switch (launcher) {
	case LAUNCHER_MPIRUN:
		key_of_mpirun(job);
		break;
	case LAUNCHER_SRUN:
		key_of_srun(job);
		break;
	case LAUNCHER_OTHER:
		key_of_parent(job);
		break;
	case LAUNCHER_NONE:
		key_alone(job);
		break;
	case LAUNCHER_HYDRA: /* found with it */
		break;
	}
}

/* The variables of each: its own first. */
static void find_rank(struct job *job, enum launcher launcher)
{
	static const char *const ranks[][4] = {
		[LAUNCHER_MPIRUN] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK" },
		[LAUNCHER_HYDRA] = { "PMI_RANK" },
		[LAUNCHER_SRUN] = { "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" },
		[LAUNCHER_OTHER] = { "PMI_RANK" },
		[LAUNCHER_NONE] = { NULL },
	};
	static const char *const sizes[][4] = {
		[LAUNCHER_MPIRUN] = { "OMPI_COMM_WORLD_SIZE" },
		[LAUNCHER_HYDRA] = { "PMI_SIZE" },
		[LAUNCHER_SRUN] = { "PMI_SIZE", "SLURM_STEP_NUM_TASKS" },
		[LAUNCHER_OTHER] = { "PMI_SIZE" },
		[LAUNCHER_NONE] = { NULL },
	};

	job->rank = number(ranks[launcher], 0);
	job->size = number(sizes[launcher], 1);
	if (job->rank >= job->size)
		job->size = job->rank + 1;
}

void job_init(struct job *job)
{
	enum launcher launcher;

	*job = (struct job){ 0 };
	gethostname(job->host, sizeof(job->host) - 1);
	launcher = find_launcher(job);
	find_key(job, launcher);
	find_rank(job, launcher);
	job->launcher = launcher;
	job->launched = launcher != LAUNCHER_NONE;
	batch_init(&job->batch);
	job->told_alike =
		launcher == LAUNCHER_SRUN || launcher == LAUNCHER_NONE;
	/* The step of mpirun is its daemons', which may differ by host. */
	if (launcher != LAUNCHER_SRUN)
		*job->batch.step = 0;
}
