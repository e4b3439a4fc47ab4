/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * naps.c - a sched_yield() that gives the core away, for jobs that hang: ranks
 * of Open MPI that wait call it again and again, and would take all cores.
 */
#include <sched.h>
#include <time.h>

int sched_yield(void)
{
	const struct timespec turn = { .tv_nsec = 1000000 };

	return nanosleep(&turn, NULL);
}
