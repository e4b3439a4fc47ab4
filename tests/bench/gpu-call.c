/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-call.c LAUNCHES DEPTH [KIB] - kernels launched with a made CUDA
 * (tests/gpu/made-cuda.h), so many, from DEPTH frames below main; before each
 * so many kibibytes of memory are gone through, since a driver does more than
 * the made one, and leaves little in the caches.  Prints the nanoseconds of
 * one: elapsed, in the median of many batches; and of the thread's CPU time, in
 * the mean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../gpu/made-cuda.h"

enum {
	BATCH = 1000,
	NS = 1000, /* of each, on the device */
	LINE = 64,
};
#define STAYS __attribute__((noinline, noclone))

static volatile int sink;

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double *batches; /* nanoseconds of a launch */

static char *memory;
static long memory_size;

static void go_through(void)
{
	for (long i = 0; i < memory_size; i += LINE)
		memory[i]++;
}

STAYS static void launch_many(long count)
{
	double begun = now(CLOCK_MONOTONIC);

	for (long i = 1; i <= count; i++) {
		go_through();
		made_cudaLaunchKernel("_Z7nothingv", 0, NS);
		if (i % BATCH)
			continue;
		batches[i / BATCH - 1] = (now(CLOCK_MONOTONIC) - begun) / BATCH;
		begun = now(CLOCK_MONOTONIC);
	}
	sink++;
}

STAYS static void fall(int frames, long count)
{
	if (frames > 1)
		fall(frames - 1, count);
	else
		launch_many(count);
	sink++;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000000;
	int depth = argc > 2 ? atoi(argv[2]) : 15;
	long many = count / BATCH;
	double took;

	batches = calloc(many ? many : 1, sizeof(*batches));
	memory_size = argc > 3 ? atol(argv[3]) * 1024 : 0;
	memory = calloc(1, (size_t)memory_size + 1);
	if (!batches || !memory)
		return 1;
	took = now(CLOCK_THREAD_CPUTIME_ID);
	fall(depth - 1, count);
	took = now(CLOCK_THREAD_CPUTIME_ID) - took;
	qsort(batches, many, sizeof(*batches), by_size);
	printf("launch %.1f %.1f\n", batches[many / 2], took / (double)count);
	free(memory);
	free(batches);
	return 0;
}
