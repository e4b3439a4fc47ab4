/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-launch.cu LAUNCHES DEPTH - kernels that do nothing, so many, from DEPTH
 * frames below main.  Prints the nanoseconds of one, as they pass and of the
 * thread's CPU time, and the most memory that the process had, in KiB.
 */
#include <sys/resource.h>

#include "../gpu/gpu.h"

#define WARM_UP 20000

static __global__ void nothing(void)
{
}

static double cpu_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static STAYS void launch_many(long count)
{
	for (long i = 0; i < count; i++)
		TRY(cudaLaunchKernel((const void *)nothing, dim3(1), dim3(1),
				     NULL, 0, 0));
	TRY(cudaDeviceSynchronize());
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
	fall(depth - 1, WARM_UP);
	wall = clock_seconds();
	cpu = cpu_clock();
	fall(depth - 1, count);
	wall = clock_seconds() - wall;
	cpu = cpu_clock() - cpu;
	getrusage(RUSAGE_SELF, &usage);
	printf("launch %.1f %.1f %ld\n", wall / count * 1e9, cpu / count * 1e9,
	       usage.ru_maxrss);
	return 0;
}
