/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-launch.cu LAUNCHES DEPTH - kernels that do nothing, so many, from DEPTH
 * frames below main.  Prints the nanoseconds of one, as they pass and of the
 * thread's CPU time, the most memory that the process had, in KiB, and the
 * nanoseconds of one in the median of many batches: what disturbs a few of them
 * does not count there.
 */
#include <sys/resource.h>

#include "../gpu/gpu.h"

#define WARM_UP 20000
#define BATCH   1000

static __global__ void nothing(void)
{
}

static double cpu_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double *batches; /* seconds, of those that are whole */
static long batch_count;

static STAYS void launch_many(long count)
{
	double begun = clock_seconds(), now;

	batch_count = 0;
	for (long i = 1; i <= count; i++) {
		TRY(cudaLaunchKernel((const void *)nothing, dim3(1), dim3(1),
				     NULL, 0, 0));
		if (i % BATCH)
			continue;
		now = clock_seconds();
		batches[batch_count++] = now - begun;
		begun = now;
	}
	TRY(cudaDeviceSynchronize());
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double typical(void)
{
	qsort(batches, batch_count, sizeof(*batches), by_size);
	return batch_count ? batches[batch_count / 2] / BATCH : 0;
}

static STAYS void fall(int frames, long count)
{
	if (frames > 1)
		fall(frames - 1, count);
	else
		launch_many(count);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000000;
	int depth = argc > 2 ? atoi(argv[2]) : 15;
	struct rusage usage;
	double wall, cpu;

	need_gpus(1);
	batches = (double *)malloc((count + WARM_UP) / BATCH * sizeof(double));
	if (!batches)
		return 1;
	fall(depth - 1, WARM_UP);
	wall = clock_seconds();
	cpu = cpu_clock();
	fall(depth - 1, count);
	wall = clock_seconds() - wall;
	cpu = cpu_clock() - cpu;
	getrusage(RUSAGE_SELF, &usage);
	printf("launch %.1f %.1f %ld %.1f\n", wall / count * 1e9,
	       cpu / count * 1e9, usage.ru_maxrss, typical() * 1e9);
	free(batches);
	return 0;
}
