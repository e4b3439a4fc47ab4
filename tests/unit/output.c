/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/output.h"
#include "tests/lib/test.h"

static struct job rank_of(const char *key, int rank, int size)
{
	struct job job = { .host = "here", .rank = rank, .size = size };

	snprintf(job.key, sizeof(job.key), "%s", key);
	return job;
}

static char scratch_path[] = "/tmp/copse-unit-XXXXXX";

static bool scratch(void)
{
	return mkdtemp(scratch_path) && !chdir(scratch_path);
}

static bool scratch_end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", scratch_path);
	return !system(command);
}

TEST(ranks_of_one_job_meet_and_the_last_is_told)
{
	struct job job = rank_of("one", 0, 2), other = rank_of("one", 1, 2);
	struct output a, b;

	CHECK(scratch());
	CHECK(!output_open(&a, "out", &job, false));
	CHECK(!output_open(&b, "out", &other, false));
	CHECK(a.path, ==, "out");
	CHECK(b.path, ==, "out");
	CHECK(!output_done(&b));
	CHECK(output_done(&a));
	CHECK(!access("out/.rank-1", F_OK));
	output_release(&a);
	CHECK(access("out/.rank-1", F_OK));
	output_wait(&b, UINT64_MAX);
	output_discard(&a);
	CHECK(access("out", F_OK));
	CHECK(scratch_end());
}

TEST(another_job_takes_the_next_name)
{
	struct job one = rank_of("one", 0, 1), two = rank_of("two", 0, 1);
	struct output a, b, c;

	CHECK(scratch());
	CHECK(!output_open(&a, "out", &one, false));
	CHECK(!output_open(&b, "out", &two, false));
	CHECK(b.path, ==, "out.2");
	/* The same rank of the same job again: not over its first profile. */
	CHECK(!output_open(&c, "out", &one, false));
	CHECK(c.path, ==, "out.3");
	CHECK(scratch_end());
}

TEST(a_finished_job_of_the_same_name_is_another)
{
	struct job job = rank_of("one", 0, 1);
	struct output a, b;

	CHECK(scratch());
	CHECK(!output_open(&a, "out", &job, false));
	CHECK(output_done(&a));
	CHECK(!output_open(&b, "out", &job, false));
	CHECK(b.path, ==, "out.2");
	CHECK(scratch_end());
}

/* All ranks of a job at once over an older one: one clears, none is lost. */
TEST(force_clears_once)
{
	enum {
		RANKS = 16
	};
	struct job old = rank_of("old", 0, 1);
	struct output o;
	char name[PATH_MAX + 32];

	CHECK(scratch());
	CHECK(!output_open(&o, "out", &old, false));
	CHECK(output_done(&o));
	fclose(fopen("out/rank-99.h5", "w"));
	for (int i = 0; i < RANKS; i++) {
		struct job job = rank_of("new", i, RANKS);

		if (fork())
			continue;
		if (output_open(&o, "out", &job, true))
			_exit(1);
		snprintf(name, sizeof(name), "%s/rank-%d.h5", o.path, i);
		fclose(fopen(name, "w"));
		_exit(0);
	}
	for (int i = 0, status; i < RANKS; i++)
		CHECK(wait(&status) > 0 && !status);
	for (int i = 0; i < RANKS; i++) {
		snprintf(name, sizeof(name), "out/rank-%d.h5", i);
		CHECK(!access(name, F_OK));
	}
	CHECK(access("out/rank-99.h5", F_OK));
	CHECK(scratch_end());
}

TEST(a_job_finds_its_directory_again)
{
	struct job one = rank_of("one", 0, 1), two = rank_of("two", 0, 1);
	struct output o;

	CHECK(scratch());
	CHECK(!output_open(&o, "out", &one, false));
	CHECK(output_done(&o));
	CHECK(!output_open(&o, "out", &two, false));
	CHECK(!output_find(&o, "out", &one));
	CHECK(o.path, ==, "out");
	CHECK(!output_find(&o, "out", &two));
	CHECK(o.path, ==, "out.2");
	CHECK(scratch_end());
}

TEST(foreign_content_is_left_alone)
{
	struct job job = rank_of("one", 0, 1);
	struct output o;

	CHECK(scratch());
	CHECK(!mkdir("out", 0777));
	fclose(fopen("out/thesis", "w"));
	CHECK(!output_open(&o, "out", &job, true));
	CHECK(o.path, ==, "out.2");
	CHECK(!access("out/thesis", F_OK));
	CHECK(scratch_end());
}

TEST(ranks_of_one_job_meet_by_host)
{
	struct job job = rank_of("one", 0, 2), other = rank_of("one", 1, 2);
	struct output a, b, c;

	snprintf(other.host, sizeof(other.host), "there");
	CHECK(scratch());
	CHECK(!output_open_by_host(&a, "d", &job, false));
	CHECK(!output_open_by_host(&b, "d", &other, false));
	CHECK(a.path, ==, "d");
	CHECK(b.path, ==, "d");
	CHECK(!output_open_by_host(&c, "d", &job, false));
	CHECK(c.path, ==, "d.2"); /* its second run */
	CHECK(access("d/.rank-0", F_OK), !=, 0);
	CHECK(!output_done(&a));
	CHECK(output_done(&b));
	output_release(&b);
	output_wait(&a, UINT64_MAX);
	CHECK(!system("test -z \"$(ls -d d/.host-* 2>/dev/null)\""));
	CHECK(scratch_end());
}

/* Each is done as soon as it has begun, many at a time. */
TEST(one_rank_of_many_is_the_last)
{
	enum {
		RANKS = 24
	};
	int status, last = 0;

	CHECK(scratch());
	for (int i = 0; i < RANKS; i++) {
		struct job job = rank_of("one", i, RANKS);
		struct output o;

		snprintf(job.host, sizeof(job.host), "h%d", i % 3);
		if (fork())
			continue;
		if (output_open_by_host(&o, "d", &job, false) ||
		    strcmp(o.path, "d") != 0)
			_exit(2);
		_exit(output_done(&o));
	}
	for (int i = 0; i < RANKS; i++) {
		CHECK(wait(&status), >, 0);
		CHECK(WIFEXITED(status));
		CHECK(WEXITSTATUS(status), <, 2);
		last += WEXITSTATUS(status);
	}
	CHECK(last, ==, 1);
	CHECK(scratch_end());
}
