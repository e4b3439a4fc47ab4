/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * teams.c - what constructs of OpenMP take, each alone, in nanoseconds, after
 * EPCC's suite: `NAME NS` a line, the lower quartile of many short stretches.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STRETCHES 101
#define EACH      200
#define DEPTH     12
#define PATHS     (1 << DEPTH)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static volatile long sink;
static int threads;

static void parallel(void)
{
	for (int i = 0; i < EACH; i++)
#pragma omp parallel
		sink = i;
}

/*
 * From so many call paths in turn, as a large program begins its regions: two
 * places of a function that calls itself.
 */
static __attribute__((noinline)) void paths_below(int depth)
{
	if (!depth) {
#pragma omp parallel
		sink = depth;
		return;
	}
	paths_below(depth - 1);
	paths_below(depth - 1);
	sink = depth; /* no tail call */
}

static void parallel_paths(void)
{
	paths_below(DEPTH);
}

static void parallel_for(void)
{
	for (int i = 0; i < EACH; i++)
#pragma omp parallel for schedule(dynamic)
		for (int k = 0; k < 4; k++)
			sink = k;
}

static void barrier(void)
{
#pragma omp parallel
	for (int i = 0; i < EACH; i++) {
#pragma omp barrier
	}
}

static void loop(void)
{
#pragma omp parallel
	for (int i = 0; i < EACH; i++)
#pragma omp for
		for (int k = 0; k < 4; k++)
			sink = k;
}

static void single(void)
{
#pragma omp parallel
	for (int i = 0; i < EACH; i++)
#pragma omp single
		sink = i;
}

static void critical(void)
{
#pragma omp parallel
	for (int i = 0; i < EACH; i++)
#pragma omp critical
		sink = i;
}

/* Held for so many steps of work, which all threads want all the time. */
static long steps;

static void held(void)
{
#pragma omp parallel
	for (int i = 0; i < EACH; i++)
#pragma omp critical
		for (long k = 0; k < steps; k++)
			__asm__ volatile("" : "+r"(k));
}

static void task(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < EACH; i++)
#pragma omp task
		sink = i;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double quartile(void (*construct)(void))
{
	static double took[STRETCHES];

	construct();
	for (int i = 0; i < STRETCHES; i++) {
		double begun = now();

		construct();
		took[i] = (now() - begun) / EACH;
	}
	qsort(took, STRETCHES, sizeof(*took), compare);
	return took[STRETCHES / 4];
}

static void measure(const char *name, void (*construct)(void))
{
	printf("%s %.1f\n", name, quartile(construct));
}

/* A section that takes so long, for each time that a thread was in it. */
static void measure_held(const char *name, double ns)
{
	steps = 1000;
	omp_set_num_threads(1);
	steps = (long)(ns * 1000 / quartile(held));
	omp_set_num_threads(threads);
	printf("%s %.1f\n", name, quartile(held) / threads);
}

int main(void)
{
	threads = omp_get_max_threads();
	measure("parallel", parallel);
	printf("parallel-paths %.1f\n",
	       quartile(parallel_paths) * EACH / PATHS);
	measure("parallel-for", parallel_for);
	measure("barrier", barrier);
	measure("for", loop);
	measure("single", single);
	measure("critical", critical);
	measure("task", task);
	measure_held("held-200", 200);
	measure_held("held-1000", 1000);
	measure_held("held-5000", 5000);
	return 0;
}
