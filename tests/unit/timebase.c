/* SPDX-License-Identifier: BSD-3-Clause */
/* timebase.c - the same clock has the same name, another one another. */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/timebase.h"
#include "tests/lib/test.h"

static uint64_t read_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

TEST(both_clocks_are_of_one_moment)
{
	struct timebase at;
	uint64_t mono = read_ns(CLOCK_MONOTONIC);
	uint64_t real = read_ns(CLOCK_REALTIME);

	timebase_now(&at);
	CHECK(at.mono_ns, >=, mono);
	CHECK(at.mono_ns, <=, read_ns(CLOCK_MONOTONIC));
	CHECK(at.real_ns, >=, real);
	CHECK(at.real_ns, <=, read_ns(CLOCK_REALTIME));
}

#ifndef CLONE_NEWTIME /* glibc before 2.32 */
#define CLONE_NEWTIME 0x80
#endif

/* What timebase_id() is in a child, through a pipe. */
static uint64_t id_in_child(bool other_clock)
{
	uint64_t id = 0;
	int ends[2];

	CHECK(!pipe(ends));
	if (other_clock && unshare(CLONE_NEWTIME))
		return 0;
	if (!fork()) {
		id = timebase_id();
		_exit(write(ends[1], &id, sizeof(id)) != sizeof(id));
	}
	CHECK(read(ends[0], &id, sizeof(id)), ==, sizeof(id));
	wait(NULL);
	return id;
}

TEST(processes_of_one_clock_have_one_name_for_it)
{
	CHECK(timebase_id());
	CHECK(timebase_id(), ==, id_in_child(false));
}

TEST(another_time_namespace_is_another_clock)
{
	uint64_t other = id_in_child(true);

	/* Not everybody may make one. */
	CHECK(other || errno == EPERM || errno == EINVAL);
	CHECK(other, !=, timebase_id());
}
