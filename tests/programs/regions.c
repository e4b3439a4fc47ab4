/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.c [LIBRARY [SECONDS]] - each way to begin a parallel region, and to
 * work in one, with a function of its own that nobody else calls.  Two threads,
 * which work for SECONDS in each (0.06); with LIBRARY, one that is opened late
 * begins a region as well.
 */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>

#include "known.h"

#define PIECES 20 /* of a loop */

static double share = 0.06;

#define WAY(name)                                                              \
	static KEPT void in_##name(double s)                                   \
	{                                                                      \
		work_for(s);                                                   \
	}
#define WAYS(X)                                                                \
	X(parallel)                                                            \
	X(static)                                                              \
	X(dynamic)                                                             \
	X(guided)                                                              \
	X(runtime)                                                             \
	X(sections)                                                            \
	X(reduction)                                                           \
	X(nested)                                                              \
	X(tasks)                                                               \
	X(taskloop)                                                            \
	X(cancelled)                                                           \
	X(thread)                                                              \
	X(single)
WAYS(WAY)

static void loops(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < PIECES; i++)
		in_static(2 * share / PIECES);
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < PIECES; i++)
		in_dynamic(2 * share / PIECES);
#pragma omp parallel for schedule(guided)
	for (int i = 0; i < PIECES; i++)
		in_guided(2 * share / PIECES);
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < PIECES; i++)
		in_runtime(2 * share / PIECES);
}

static void sections(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		in_sections(share);
#pragma omp section
		in_sections(share);
	}
}

/* The runtime reads the data of the region itself. */
static int reduction(void)
{
	int sum = 0;

#pragma omp parallel reduction(task, + : sum)
	{
		in_reduction(share / 2);
#pragma omp task in_reduction(+ : sum)
		{
			in_reduction(share / 2);
			sum += 1;
		}
	}
	return sum;
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	in_nested(share / 2);
}

/* Those that one thread makes run at the barrier of the others. */
static void tasks(void)
{
#pragma omp parallel
	{
#pragma omp single nowait
		for (int i = 0; i < PIECES; i++)
#pragma omp task
			in_tasks(2 * share / PIECES);
	}
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
	for (int i = 0; i < PIECES; i++)
		in_taskloop(2 * share / PIECES);
}

static void cancelled(void)
{
#pragma omp parallel
	{
		in_cancelled(share);
#pragma omp cancel parallel
		in_single(10 * share); /* where OMP_CANCELLATION is not set */
	}
}

static void *thread(void *unused)
{
#pragma omp parallel num_threads(2)
	in_thread(share);
	return unused;
}

static void late(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void (*work)(double) = (void (*)(double))dlsym(handle, "late_work");

	work(share);
	dlclose(handle);
}

int main(int argc, char **argv)
{
	pthread_t other;
	int sum;

	if (argc > 2)
		share = atof(argv[2]);
	omp_set_max_active_levels(2);
#pragma omp parallel
	in_parallel(share);
	loops();
	sections();
	sum = reduction();
	nested();
	tasks();
	cancelled();
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	if (argc > 1)
		late(argv[1]);
	printf("%d of %d\n", sum, omp_get_max_threads());
	return 0;
}
