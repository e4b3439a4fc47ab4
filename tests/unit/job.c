/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "collect/mpi-world-id.h"
#include "launch/job.h"
#include "tests/lib/test.h"

/* As in a shell of its own, outside every job. */
static void leave_jobs(void)
{
	static const char *const variables[] = {
		"PMIX_NAMESPACE",
		"PMIX_RANK",
		"OMPI_MCA_orte_hnp_uri",
		"SLURM_JOB_ID",
		"SLURM_CLUSTER_NAME",
		"SLURM_SRUN_COMM_PORT",
		"PMI_RANK",
		"PMI_SIZE",
		"OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_SIZE",
		"SLURM_PROCID",
		"SLURM_STEP_ID",
		"SLURM_STEP_NUM_TASKS",
		"SLURM_RESTART_COUNT",
		"RANK",
		"WORLD_SIZE",
		"LOCAL_WORLD_SIZE",
		"MASTER_ADDR",
		"MASTER_PORT",
		"HOROVOD_RANK",
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i]);
}

TEST(alone_it_is_rank_0_of_1)
{
	struct job job;

	leave_jobs();
	job_init(&job);
	CHECK(!job.launched);
	CHECK(job.rank, ==, 0);
	CHECK(job.size, ==, 1);
	CHECK(!strncmp(job.key, "alone ", 6));
}

TEST(the_ranks_of_mpirun_share_a_key)
{
	struct job a, b, later;

	leave_jobs();
	setenv("PMIX_NAMESPACE", "123", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
	setenv("OMPI_COMM_WORLD_RANK", "0", 1);
	setenv("OMPI_MCA_orte_hnp_uri", "122.0;tcp://10.0.0.1:5001", 1);
	job_init(&a);
	setenv("OMPI_COMM_WORLD_RANK", "3", 1);
	setenv("SLURM_PROCID", "1", 1); /* of the daemon: means nothing */
	job_init(&b);
	CHECK(a.launched);
	CHECK(a.rank, ==, 0);
	CHECK(b.rank, ==, 3);
	CHECK(b.size, ==, 4);
	CHECK(a.key, ==, b.key);
	/* The namespace may repeat; another mpirun has another port. */
	setenv("OMPI_MCA_orte_hnp_uri", "122.0;tcp://10.0.0.1:5002", 1);
	job_init(&later);
	CHECK(a.key, !=, later.key);
}

TEST(the_ranks_of_torchrun_share_a_key)
{
	struct job a, b, other;

	leave_jobs();
	setenv("SLURM_JOB_ID", "77", 1); /* srun started torchrun */
	setenv("SLURM_STEP_ID", "0", 1);
	setenv("SLURM_PROCID", "1", 1);
	setenv("RANK", "4", 1);
	job_init(&a);
	CHECK(a.rank, ==, 1); /* a variable of somebody's */
	setenv("WORLD_SIZE", "8", 1);
	setenv("LOCAL_RANK", "0", 1);
	setenv("MASTER_ADDR", "node1", 1);
	setenv("MASTER_PORT", "29500", 1);
	job_init(&a);
	setenv("RANK", "7", 1);
	setenv("LOCAL_RANK", "3", 1);
	setenv("SLURM_PROCID", "0", 1);
	job_init(&b);
	CHECK(a.rank, ==, 4);
	CHECK(b.rank, ==, 7);
	CHECK(b.size, ==, 8);
	CHECK(b.local_rank, ==, 3);
	CHECK(a.key, ==, b.key);
	setenv("SLURM_JOB_ID", "78", 1);
	job_init(&other);
	CHECK(a.key, !=, other.key);
	/* On one host: those of one torchrun. */
	setenv("LOCAL_WORLD_SIZE", "8", 1);
	job_init(&other);
	CHECK(strlen(other.key), >, strlen(b.key));
	leave_jobs();
}

TEST(slurm_procid_is_the_rank_under_srun_only)
{
	struct job job;

	leave_jobs();
	setenv("SLURM_PROCID", "5", 1);
	setenv("SLURM_JOB_ID", "77", 1);
	job_init(&job);
	CHECK(!job.launched);
	CHECK(job.rank, ==, 0);
	setenv("SLURM_STEP_ID", "2", 1);
	setenv("SLURM_STEP_NUM_TASKS", "8", 1);
	job_init(&job);
	CHECK(job.launched);
	CHECK(job.rank, ==, 5);
	CHECK(job.size, ==, 8);
	CHECK(!strncmp(job.key, "slurm 77.2", 10));
}

TEST(a_job_that_is_started_again_is_another)
{
	struct job first, again;

	leave_jobs();
	setenv("PMIX_NAMESPACE", "slurm.pmix.77.0", 1);
	setenv("PMIX_RANK", "1", 1);
	setenv("SLURM_JOB_ID", "77", 1);
	setenv("SLURM_STEP_ID", "0", 1);
	job_init(&first);
	CHECK(first.same_on_ranks);
	CHECK(first.batch.step, ==, "0");
	setenv("SLURM_RESTART_COUNT", "1", 1);
	job_init(&again);
	CHECK(first.key, !=, again.key);
	/* The same number on a cluster whose numbers began anew. */
	unsetenv("SLURM_RESTART_COUNT");
	setenv("SLURM_SRUN_COMM_PORT", "40001", 1);
	job_init(&again);
	CHECK(first.key, !=, again.key);
}

/* A host that ssh reached knows neither job nor step, one of srun's a step. */
TEST(hosts_of_one_mpirun_agree_whatever_slurm_says)
{
	struct job first, other;

	leave_jobs();
	setenv("PMIX_NAMESPACE", "123", 1);
	setenv("PMIX_RANK", "0", 1);
	setenv("OMPI_MCA_orte_hnp_uri", "122.0;tcp://10.0.0.1:5001", 1);
	job_init(&other);
	setenv("SLURM_JOB_ID", "77", 1);
	setenv("SLURM_STEP_ID", "2", 1);
	setenv("SLURM_PROCID", "1", 1);
	setenv("SLURM_RESTART_COUNT", "1", 1);
	setenv("SLURM_SRUN_COMM_PORT", "40001", 1);
	job_init(&first);
	CHECK(first.key, ==, other.key);
	CHECK(!first.same_on_ranks && !*first.batch.step);
	CHECK(first.batch.job, ==, "77");
}

TEST(a_rank_beyond_the_size_makes_it_larger)
{
	struct job job;

	leave_jobs();
	setenv("PMI_RANK", "6", 1);
	job_init(&job);
	CHECK(job.rank, ==, 6);
	CHECK(job.size, ==, 7);
}

TEST(what_is_spawned_is_another_job)
{
	struct job job, spawned;

	leave_jobs();
	setenv("OMPI_COMM_WORLD_RANK", "0", 1);
	setenv("OMPI_MCA_orte_hnp_uri", "122.0;tcp://10.0.0.1:5001", 1);
	setenv("PMIX_NAMESPACE", "123", 1);
	job_init(&job);
	setenv("PMIX_NAMESPACE", "124", 1);
	job_init(&spawned);
	CHECK(job.key, !=, spawned.key);
}

TEST(a_world_has_the_name_of_its_job)
{
	uint64_t first;

	leave_jobs();
	setenv("OMPI_COMM_WORLD_RANK", "0", 1);
	setenv("PMIX_NAMESPACE", "123", 1);
	first = world_id(2, 1);
	setenv("OMPI_COMM_WORLD_RANK", "1", 1);
	CHECK(first);
	CHECK(world_id(2, 2), ==, first);
	setenv("PMIX_NAMESPACE", "124", 1);
	CHECK(world_id(2, 2));
	CHECK(world_id(2, 2), !=, first);
}

/* One process is a world by itself; of several nothing is guessed. */
TEST(a_world_without_a_launcher_may_have_no_name)
{
	leave_jobs();
	CHECK(world_id(1, 1000));
	CHECK(world_id(1, 1000), !=, world_id(1, 2000));
	CHECK(!world_id(2, 1000));
	setenv("PMI_RANK", "1", 1);
	CHECK(!world_id(2, 1000));
}
