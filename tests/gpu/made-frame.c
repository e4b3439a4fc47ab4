/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-frame.c - a made framework, a library of its own: each operation takes
 * the host some time before it launches its kernel.
 */
#include "made-cuda.h"

#include <time.h>

#define PUBLIC   __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline, noclone))

static volatile int sink;

NOINLINE static void dispatch(uint64_t ns)
{
	struct timespec t;
	uint64_t now, until = 0;

	do {
		clock_gettime(CLOCK_MONOTONIC, &t);
		now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
		until = until ? until : now + ns;
		sink++;
	} while (now < until);
}

PUBLIC void frame_operate(const char *kernel, uint64_t host, uint64_t gpu);

PUBLIC void frame_operate(const char *kernel, uint64_t host, uint64_t gpu)
{
	dispatch(host);
	made_cudaLaunchKernel(kernel, 1, gpu);
	sink++;
}
