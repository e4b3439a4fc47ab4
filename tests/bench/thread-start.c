/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-start.c LIVING COUNT - creates and joins one thread, COUNT times,
 * while LIVING others sleep: ns of CPU time and of elapsed time for each.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_barrier_t both;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void *sleeps(void *unused)
{
	pthread_barrier_wait(&both);
	return unused;
}

static void *ends(void *unused)
{
	return unused;
}

static void create(pthread_t *to, void *(*what)(void *))
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	if (pthread_create(to, &small, what, NULL))
		exit(2);
}

int main(int argc, char **argv)
{
	int living = argc > 2 ? atoi(argv[1]) : 0;
	int count = argc > 2 ? atoi(argv[2]) : 1000;
	pthread_t *all = calloc((size_t)living + 1, sizeof(*all)), one;
	double cpu, elapsed;

	pthread_barrier_init(&both, NULL, (unsigned int)living + 1);
	for (int i = 0; i < living; i++)
		create(&all[i], sleeps);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	elapsed = now(CLOCK_MONOTONIC);
	for (int i = 0; i < count; i++) {
		create(&one, ends);
		pthread_join(one, NULL);
	}
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	elapsed = now(CLOCK_MONOTONIC) - elapsed;
	pthread_barrier_wait(&both);
	for (int i = 0; i < living; i++)
		pthread_join(all[i], NULL);
	printf("%.0f %.0f\n", cpu / count, elapsed / count);
	return 0;
}
