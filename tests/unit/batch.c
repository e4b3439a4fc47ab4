/* SPDX-License-Identifier: BSD-3-Clause */
/* batch.c - what batch systems say of a job, and names made of it. */
#include <stdlib.h>
#include <string.h>

#include "base/batch.h"
#include "base/err.h"
#include "launch/job.h"
#include "tests/lib/test.h"

/* As outside of every job. */
static void leave_jobs(void)
{
	for (size_t i = 0; i < batch_count; i++)
		for (size_t m = 0; m < 3; m++)
			if (batch_infos[i].variables[m])
				unsetenv(batch_infos[i].variables[m]);
}

static void enter_array(void)
{
	leave_jobs();
	setenv("SLURM_JOB_ID", "15", 1);
	setenv("SLURM_ARRAY_JOB_ID", "12", 1);
	setenv("SLURM_ARRAY_TASK_ID", "3", 1);
	setenv("SLURM_JOB_NAME", "a/b", 1);
	setenv("SLURM_JOB_NODELIST", "node[0-3]", 1);
}

TEST(without_a_batch_system_nothing_is_known)
{
	struct batch b;

	leave_jobs();
	setenv("SLURM_ARRAY_TASK_ID", "3", 1);
	batch_init(&b);
	for (size_t i = 0; i < batch_count; i++)
		CHECK(!*batch_text(&b, &batch_infos[i]));
}

TEST(slurm_says_what_the_job_is)
{
	struct batch b;

	enter_array();
	batch_init(&b);
	CHECK(b.manager, ==, "Slurm");
	CHECK(b.job, ==, "15");
	CHECK(b.array, ==, "12");
	CHECK(b.task, ==, "3");
	CHECK(b.nodes, ==, "node[0-3]");
	CHECK(!*b.step);
}

TEST(in_lsf_task_0_is_none)
{
	struct batch b;

	leave_jobs();
	setenv("LSB_JOBID", "9", 1);
	setenv("LSB_JOBINDEX", "0", 1);
	batch_init(&b);
	CHECK(b.manager, ==, "LSF");
	CHECK(!*b.task);
	setenv("LSB_JOBINDEX", "2", 1);
	batch_init(&b);
	CHECK(b.task, ==, "2");
}

TEST(what_is_too_long_is_cut_and_says_so)
{
	struct batch b, taken;
	char long_text[2000];

	leave_jobs();
	memset(long_text, 'n', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = 0;
	setenv("SLURM_JOB_ID", "1\n2", 1);
	setenv("SLURM_JOB_NODELIST", long_text, 1);
	batch_init(&b);
	CHECK(strlen(b.nodes), ==, sizeof(b.nodes) - 1);
	CHECK(b.nodes + sizeof(b.nodes) - 4, ==, "...");
	CHECK(b.job, ==, "1?2");
	memset(&b, 'x', sizeof(b)); /* as a damaged file has it */
	batch_take(&taken, &b);
	CHECK(strlen(taken.job), ==, sizeof(taken.job) - 1);
}

static bool is_named(const char *pattern, const char *name)
{
	struct job job = { .size = 1 };
	char *made = NULL;
	bool same;

	batch_init(&job.batch);
	CHECK(!output_name(&made, pattern, "app", &job));
	same = !strcmp(made, name);
	free(made);
	return same;
}

TEST(letters_in_the_outputs_name)
{
	enter_array();
	CHECK(is_named("app-%A_%a.%r", "app-12_3.0"));
	CHECK(is_named("%x/%j%%", "a_b/15%"));
	CHECK(is_named("%s", "none"));
	leave_jobs();
	CHECK(is_named("app-%j.copse", "app-none.copse"));
}

TEST(what_no_number_can_be_put_to_is_a_folder)
{
	CHECK(is_named("out//", "out") && is_named("a/.b/", "a/.b"));
	CHECK(is_named("", "app.copse") && is_named(".", "./app.copse"));
	CHECK(is_named("a/../", "a/../app.copse"));
	CHECK(is_named("/", "//app.copse"));
}

TEST(a_letter_that_means_nothing_is_refused)
{
	struct job job = { .size = 1 };
	char *made = NULL;

	CHECK(output_name(&made, "app-%q", "app", &job), <, 0);
	CHECK(strstr(fail_reason(), "%q") && strstr(fail_reason(), "%j"));
	CHECK(output_name(&made, "app-%", "app", &job), <, 0);
}

static bool is_default(const struct job *job, const char *name)
{
	char *made;
	bool same = !output_name(&made, "", "app", job) && !strcmp(made, name);

	free(made);
	return same;
}

TEST(a_task_has_a_name_of_its_own)
{
	struct job job = { .same_on_ranks = true };

	leave_jobs();
	CHECK(is_default(&job, "app.copse"));
	enter_array();
	batch_init(&job.batch);
	CHECK(is_default(&job, "app-12_3.copse"));
	/* Under mpirun another host may not know. */
	job.same_on_ranks = false;
	CHECK(is_default(&job, "app.copse"));
}

/* As Slurm 22.05 writes it, cut. */
TEST(slurm_says_why_it_ends_a_job)
{
	CHECK(!job_end_in("JobId=1 JobState=RUNNING Reason=None Requeue=1"));
	CHECK(!job_end_in(""));
	CHECK(job_end_in("JobId=2 JobState=CANCELLED Reason=None "), ==,
	      "cancelled");
	CHECK(job_end_in("JobId=2 JobState=COMPLETING Reason=None "
			 "Dependency=(null) ExitCode=0:15 RunTime=1"),
	      ==, "cancelled");
	CHECK(job_end_in("JobId=3 JobState=COMPLETING "
			 "Reason=TimeLimit Dependency=(null)"),
	      ==, "time limit");
	CHECK(job_end_in("JobId=4 JobState=COMPLETING "
			 "Reason=OutOfMemory Dependency=(null) ExitCode=0:125"),
	      ==, "out of memory");
}
