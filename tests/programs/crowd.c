/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crowd.c WHAT THREADS - many threads that come to the collector for the first
 * time at once, on few cores: as a parallel region, as regions in one, for a
 * lock that all want, in phases, or with work of their own.  Prints what they
 * computed and the CPU time of the process, in seconds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double sum;

static double work(int of)
{
	double result = 0;

	for (int i = 0; i < 1000; i++)
		result += sqrt(i + of);
	return result;
}

static void region(int threads)
{
	double result = 0;

#pragma omp parallel num_threads(threads) reduction(+ : result)
	result += work(1);
	sum = result;
}

static void nested(int threads)
{
	double result = 0;
	int side = (int)sqrt(threads);

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(side) reduction(+ : result)
#pragma omp parallel num_threads(side) reduction(+ : result)
	result += work(1);
	sum = result;
}

static void add(double result)
{
	pthread_mutex_lock(&mutex);
	sum += result;
	pthread_mutex_unlock(&mutex);
}

static void *take_lock(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	add(work(1));
	return NULL;
}

static void *do_phase(void *unused)
{
	void (*begin)(const char *) = dlsym(RTLD_DEFAULT, "copse_begin");
	void (*end)(const char *) = dlsym(RTLD_DEFAULT, "copse_end");

	(void)unused;
	pthread_barrier_wait(&barrier);
	if (begin)
		begin("crowded");
	add(work(1));
	if (end)
		end("crowded");
	return NULL;
}

/* Long enough for a sample of each. */
static void *do_work(void *unused)
{
	double result = 0;

	(void)unused;
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 500; i++)
		result += work(i);
	add(result);
	return NULL;
}

static void start(void *(*what)(void *), int threads)
{
	pthread_t *all = malloc((size_t)threads * sizeof(*all));
	pthread_attr_t small;

	pthread_barrier_init(&barrier, NULL, (unsigned int)threads);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&all[i], &small, what, NULL))
			exit(2);
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	free(all);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int threads = argc > 2 ? atoi(argv[2]) : 0;
	struct timespec used;

	if (!strcmp(what, "region"))
		region(threads);
	else if (!strcmp(what, "nested"))
		nested(threads);
	else if (!strcmp(what, "lock"))
		start(take_lock, threads);
	else if (!strcmp(what, "phases"))
		start(do_phase, threads);
	else if (!strcmp(what, "work"))
		start(do_work, threads);
	else
		return 2;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%.3e %.3f\n", sum,
	       (double)used.tv_sec + 1e-9 * (double)used.tv_nsec);
	return 0;
}
