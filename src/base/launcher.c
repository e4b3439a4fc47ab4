/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.c - the names that launchers give to their jobs. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/launcher.h"
#include "base/proc.h"

enum {
	MOST_SHELLS = 8 /* between a launcher and this process */
};

static const char *text_of_variable(const char *variable)
{
	const char *text = getenv(variable);

	return text ? text : "";
}

/*
 * A job that is put back into the queue keeps its number, and numbers begin
 * again where a cluster is set up anew: srun's port tells such steps apart.
 */
static void add_srun(char *key)
{
	size_t length = strlen(key);

	snprintf(key + length, LAUNCHER_KEY - length, " %.40s %.10s %.10s",
		 text_of_variable("SLURM_CLUSTER_NAME"),
		 text_of_variable("SLURM_RESTART_COUNT"),
		 text_of_variable("SLURM_SRUN_COMM_PORT"));
}

/*
 * Open MPI makes its namespace from the host's name and the process id of
 * mpirun, which repeat (in containers each time); the port does not.  It
 * stands last.  What Slurm says of the job is not known on the hosts that
 * mpirun reaches by ssh.
 */
static void key_of_mpirun(char *key)
{
	const char *uri = text_of_variable("OMPI_MCA_orte_hnp_uri");
	size_t length = strlen(uri), most = 60;

	snprintf(key, LAUNCHER_KEY, "pmix %.60s %s",
		 text_of_variable("PMIX_NAMESPACE"),
		 uri + (length > most ? length - most : 0));
}

static void key_of_srun(char *key)
{
	if (getenv("PMIX_NAMESPACE"))
		snprintf(key, LAUNCHER_KEY, "pmix %.60s",
			 text_of_variable("PMIX_NAMESPACE"));
	else
		snprintf(key, LAUNCHER_KEY, "slurm %.40s.%.40s",
			 text_of_variable("SLURM_JOB_ID"),
			 text_of_variable("SLURM_STEP_ID"));
	add_srun(key);
}

/* What follows the option among arguments, each ended by 0; "": nothing. */
static const char *option_value(const char *option, const char *arguments,
				size_t size)
{
	for (size_t at = 0; at < size; at += strlen(arguments + at) + 1) {
		size_t value = at + strlen(arguments + at) + 1;

		if (!strcmp(arguments + at, option) && value < size)
			return arguments + value;
	}
	return "";
}

/* Processes that were spawned are another group of the same mpiexec. */
static bool key_of_proxy(char *key, pid_t pid)
{
	char command[4096];
	size_t size = proc_file(pid, "cmdline", command, sizeof(command));
	const char *port = option_value("--control-port", command, size);

	if (*port)
		snprintf(key, LAUNCHER_KEY, "hydra %.100s %.10s", port,
			 option_value("--pgid", command, size));
	return *port;
}

/* Hydra's proxies all get the address of one mpiexec; shells may be between. */
static bool key_of_hydra(char *key)
{
	pid_t pid = getppid();

	for (int i = 0; i < MOST_SHELLS && pid > 1; i++) {
		if (key_of_proxy(key, pid))
			return true;
		pid = proc_parent(pid);
	}
	return false;
}

/* The process that made the ranks of this host: the first without a rank. */
static pid_t find_agent(void)
{
	pid_t pid = getppid();

	for (int i = 0; i < MOST_SHELLS && pid > 1; i++) {
		if (!proc_has_variable(pid, "RANK"))
			return pid;
		pid = proc_parent(pid);
	}
	return getppid();
}

/*
 * torchrun's own name of the job is mostly "none", and its port mostly 29500:
 * on one host its process tells jobs apart, on several that of the batch
 * system.
 */
static void key_of_torch(char *key)
{
	const char *here = text_of_variable("LOCAL_WORLD_SIZE");
	char agent[64] = "";

	if (!strcmp(here, text_of_variable("WORLD_SIZE"))) {
		pid_t pid = find_agent();

		snprintf(agent, sizeof(agent), "%d %llu", (int)pid,
			 (unsigned long long)proc_stat(pid, 22));
	}
	snprintf(key, LAUNCHER_KEY, "torch %.40s %.60s %.8s %.8s %.20s %s",
		 text_of_variable("TORCHELASTIC_RUN_ID"),
		 text_of_variable("MASTER_ADDR"),
		 text_of_variable("MASTER_PORT"),
		 text_of_variable("TORCHELASTIC_RESTART_COUNT"),
		 text_of_variable("SLURM_JOB_ID"), agent);
}

static bool is_torch_rank(void)
{
	return getenv("RANK") && getenv("WORLD_SIZE") &&
	       getenv("MASTER_ADDR") && getenv("MASTER_PORT");
}

/* Without MPI: by gloo. */
static bool is_horovod_rank(void)
{
	return getenv("HOROVOD_RANK") && getenv("HOROVOD_SIZE") &&
	       getenv("HOROVOD_GLOO_RENDEZVOUS_PORT");
}

static void key_of_horovod(char *key)
{
	snprintf(key, LAUNCHER_KEY, "horovod %.60s %.8s %.20s",
		 text_of_variable("HOROVOD_GLOO_RENDEZVOUS_ADDR"),
		 text_of_variable("HOROVOD_GLOO_RENDEZVOUS_PORT"),
		 text_of_variable("SLURM_JOB_ID"));
}

static bool is_jax_rank(void)
{
	return getenv("JAX_COORDINATOR_ADDRESS") &&
	       getenv("JAX_NUM_PROCESSES") && getenv("JAX_PROCESS_ID");
}

static void key_of_jax(char *key)
{
	snprintf(key, LAUNCHER_KEY, "jax %.80s %.20s",
		 text_of_variable("JAX_COORDINATOR_ADDRESS"),
		 text_of_variable("SLURM_JOB_ID"));
}

/*
 * Launchers start their daemons by others: mpirun's and Hydra's may be a step
 * of srun, whose variables the ranks then see beside those of their own.
 */
enum launcher launcher_find(char key[LAUNCHER_KEY])
{
	bool slurms = !strncmp(text_of_variable("PMIX_NAMESPACE"), "slurm.", 6);
	bool pmix = getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK");
	bool step = getenv("SLURM_STEP_ID") && getenv("SLURM_PROCID");

	*key = 0;
	if (!getenv("OMPI_COMM_WORLD_RANK") && getenv("PMI_RANK") &&
	    key_of_hydra(key))
		return LAUNCHER_HYDRA;
	if (getenv("OMPI_COMM_WORLD_RANK") || (pmix && !slurms)) {
		key_of_mpirun(key);
		return LAUNCHER_MPIRUN;
	}
	if (is_torch_rank()) {
		key_of_torch(key);
		return LAUNCHER_TORCH;
	}
	if (is_horovod_rank()) {
		key_of_horovod(key);
		return LAUNCHER_HOROVOD;
	}
	if (is_jax_rank()) {
		key_of_jax(key);
		return LAUNCHER_JAX;
	}
	if (pmix || step) {
		key_of_srun(key);
		return LAUNCHER_SRUN;
	}
	return getenv("PMI_RANK") ? LAUNCHER_OTHER : LAUNCHER_NONE;
}
