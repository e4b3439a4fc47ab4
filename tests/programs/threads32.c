/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads32.c [SECONDS] - 32 threads; thread i works (1 + i % 4) quarters of
 * SECONDS (0.1) of its own CPU time.  One half are POSIX's threads, the other
 * are C's.
 */
#include <pthread.h>
#include <stdbool.h>
#include <threads.h>

#include "known.h"

#define THREADS 32

static double share_s;

static KEPT double spin(double seconds)
{
	return work_for(seconds);
}

static void *work(void *arg)
{
	double *seconds = arg;

	*seconds = spin(*seconds);
	return NULL;
}

static int work_c11(void *arg)
{
	work(arg);
	return 7;
}

/* A thread, or 0 where none could be made. */
static pthread_t start(int i, double *seconds)
{
	pthread_t thread;
	thrd_t c11;

	if (i % 2)
		return pthread_create(&thread, NULL, work, seconds) ? 0
								    : thread;
	return thrd_create(&c11, work_c11, seconds) == thrd_success ? c11 : 0;
}

static bool join(int i, pthread_t thread)
{
	int result = 0;

	if (i % 2)
		return !pthread_join(thread, NULL);
	return thrd_join(thread, &result) == thrd_success && result == 7;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	double seconds[THREADS], sum = 0;

	share_s = seconds_wanted(argc, argv, 0.1) / 4;
	for (int i = 0; i < THREADS; i++) {
		seconds[i] = share_s * (1 + i % 4);
		threads[i] = start(i, &seconds[i]);
		if (!threads[i])
			return 1;
	}
	for (int i = 0; i < THREADS; i++) {
		if (!join(i, threads[i]))
			return 1;
		sum += seconds[i];
	}
	truth("spin", sum);
	return 0;
}
