/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads32.c [SECONDS] - 32 threads; thread i works (1 + i % 4) quarters of
 * SECONDS (0.1) of its own CPU time.
 */
#include <pthread.h>

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

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	double seconds[THREADS], sum = 0;

	share_s = seconds_wanted(argc, argv, 0.1) / 4;
	for (int i = 0; i < THREADS; i++) {
		seconds[i] = share_s * (1 + i % 4);
		if (pthread_create(&threads[i], NULL, work, &seconds[i]))
			return 1;
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += seconds[i];
	}
	truth("spin", sum);
	return 0;
}
