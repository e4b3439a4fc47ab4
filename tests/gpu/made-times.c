/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-times.c - when the devices of a made CUDA work and when not, and what
 * the program does meanwhile, by construction.  `made-times MODE`.
 */
#include "made-cuda.h"

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define MS       ((uint64_t)1000000)

static volatile int sink;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* So much elapsed time, on a core. */
NOINLINE static void spin(uint64_t ns)
{
	uint64_t until = now(CLOCK_MONOTONIC) + ns;

	while (now(CLOCK_MONOTONIC) < until)
		sink++;
}

static uint64_t prepared, rested; /* how long it took, in truth */

NOINLINE static void prepare(uint64_t ns)
{
	uint64_t start = now(CLOCK_MONOTONIC);

	spin(ns);
	prepared += now(CLOCK_MONOTONIC) - start;
}

NOINLINE static void rest(uint64_t ns)
{
	uint64_t start = now(CLOCK_MONOTONIC);

	usleep((useconds_t)(ns / 1000));
	rested += now(CLOCK_MONOTONIC) - start;
}

NOINLINE static void work(uint64_t ns)
{
	made_cudaLaunchKernel("_Z5alphaPfi", 1, ns);
	made_cudaDeviceSynchronize(ns);
	sink++;
}

/*
 * So often a kernel of 10 ms, and while there is none 8 ms of prepare() and 4
 * ms of rest().
 */
NOINLINE static void idle(int times)
{
	for (int i = 0; i < times; i++) {
		work(10 * MS);
		prepare(8 * MS);
		rest(4 * MS);
	}
	work(MS);
	printf("prepare %.6f\nrest %.6f\n", (double)prepared / 1e9,
	       (double)rested / 1e9);
}

/* As much idle time on each of many stairs, and so little on the last. */
NOINLINE static void stairs(int count)
{
	work(MS);
	spin(12 * MS);
	if (count > 1)
		stairs(count - 1);
	sink++;
}

/*
 * A kernel of 80 ms, under which 4 copies of 10 ms; then 20 ms of a copy alone,
 * and 2 kernels of 30 ms side by side.  150 ms of work in 200 ms: 20 ms before
 * the copy and 30 before the two.
 */
NOINLINE static void overlap(void)
{
	made_cudaLaunchKernel("_Z5alphaPfi", 1, 80 * MS);
	for (int i = 0; i < 4; i++)
		made_cudaMemcpyAsync(MADE_TO, 1 << 20, 10 * MS);
	made_cudaDeviceSynchronize(80 * MS);
	prepare(20 * MS);
	made_cudaMemcpyAsync(MADE_FROM, 1 << 20, 20 * MS);
	made_cudaDeviceSynchronize(20 * MS);
	prepare(30 * MS);
	made_cudaLaunchKernel("_Z4betaPf", 2, 30 * MS);
	made_cudaLaunchKernel("_Z4betaPf", 3, 30 * MS);
	made_cudaDeviceSynchronize(30 * MS);
}

/* Kernels of 0.1 us, as fast as they can be launched. */
NOINLINE static void launches(void)
{
	uint64_t until = now(CLOCK_MONOTONIC) + 300 * MS;

	while (now(CLOCK_MONOTONIC) < until)
		made_cudaLaunchKernel("_Z4tinyv", 1, 100);
}

/* Device 1 gets three times the work of device 0. */
NOINLINE static void devices(void)
{
	for (int i = 0; i < 10; i++) {
		made_cudaSetDevice(0);
		made_cudaLaunchKernel("_Z5alphaPfi", 1, 5 * MS);
		made_cudaSetDevice(1);
		made_cudaLaunchKernel("_Z5alphaPfi", 2, 15 * MS);
		made_cudaDeviceSynchronize(15 * MS);
	}
}

/* From that moment on every other 50 ms, five times. */
NOINLINE static void shared(int turn, uint64_t start)
{
	for (int i = 0; i < 5; i++) {
		uint64_t at = start + (uint64_t)(2 * i + turn) * 50 * MS;

		while (now(CLOCK_MONOTONIC) < at)
			usleep(50);
		work(50 * MS);
	}
}

/* Measured are the last two of three pieces of 20 ms; 50 ms pass between. */
NOINLINE static void paused(void)
{
	work(20 * MS);
	made_cudaProfilerStart();
	work(20 * MS);
	made_cudaProfilerStop();
	prepare(50 * MS);
	made_cudaProfilerStart();
	work(20 * MS);
}

/*
 * Measured are 60 pieces of 2 ms; 5 ms pass between, and 200 ms behind the
 * last.
 */
NOINLINE static void pauses(void)
{
	for (int i = 0; i < 60; i++) {
		made_cudaProfilerStart();
		work(2 * MS);
		made_cudaProfilerStop();
		prepare(5 * MS);
	}
	prepare(200 * MS);
}

/* 100 ms before the only work, and 200 ms behind it. */
NOINLINE static void ends(void)
{
	prepare(100 * MS);
	work(50 * MS);
	prepare(200 * MS);
}

/* More streams than there is room for, some of them back in time. */
NOINLINE static void streams(void)
{
	for (unsigned int i = 0; i < 600; i++)
		made_cudaLaunchKernel("_Z5alphaPfi", 100 + i, MS / 10);
	made_cudaDeviceSynchronize(20 * MS);
}

NOINLINE static void counted_alpha(void)
{
	for (int i = 0; i < 30; i++)
		made_cudaLaunchKernel("_Z5alphaPfi", 1, 10 * MS);
	sink++;
}

NOINLINE static void counted_beta(void)
{
	for (int i = 0; i < 30; i++)
		made_cudaLaunchKernel("_Z4betaPf", 1, 10 * MS);
	sink++;
}

/* 300 ms of alphas, then of betas, and a tiny one. */
NOINLINE static void counted(void)
{
	made_cudaLaunchKernel("_Z4tinyv", 1, 1000);
	made_cudaDeviceSynchronize(MS);
	usleep(200000); /* counters begin */
	nvtxRangePushA("step");
	counted_alpha();
	made_cudaDeviceSynchronize(300 * MS);
	nvtxRangePushA("solve");
	counted_beta();
	made_cudaDeviceSynchronize(300 * MS);
	nvtxRangePop();
	nvtxRangePop();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "idle"))
		idle(argc > 2 ? atoi(argv[2]) : 30);
	else if (!strcmp(mode, "counted"))
		counted();
	else if (!strcmp(mode, "overlap"))
		overlap();
	else if (!strcmp(mode, "stairs"))
		stairs(24);
	else if (!strcmp(mode, "launches"))
		launches();
	else if (!strcmp(mode, "devices"))
		devices();
	else if (!strcmp(mode, "shared"))
		shared(argc > 2 ? atoi(argv[2]) : 0,
		       argc > 3 ? strtoull(argv[3], NULL, 10) : 0);
	else if (!strcmp(mode, "soon"))
		printf("%llu\n",
		       (unsigned long long)(now(CLOCK_MONOTONIC) + 1500 * MS));
	else if (!strcmp(mode, "paused"))
		paused();
	else if (!strcmp(mode, "pauses"))
		pauses();
	else if (!strcmp(mode, "ends"))
		ends();
	else if (!strcmp(mode, "streams"))
		streams();
	else
		return 2;
	return 0;
}
