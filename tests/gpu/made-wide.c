/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-wide.c - launches as a framework's step makes them: hundreds of call
 * paths, each a hundred frames and more deep, through a thousand functions,
 * time and again.
 */
#include "made-wide.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "made-cuda.h"

enum {
	PATHS = 400,
	FUNCTIONS = 1024,
	LEAST_DEPTH = 40,
	MOST_DEPTH = 160,
	CALLS = 3, /* of each launch, beside it */
};

typedef void function(uint32_t path, int depth);
static function *const functions[FUNCTIONS];
static volatile int sink;

__attribute__((noinline)) static void work(void)
{
	made_cudaLaunchKernel("_Z4widev", 0, 1);
	for (int i = 0; i < CALLS; i++)
		made_cudaStreamQuery();
	sink++;
}

/* The next one down is drawn from the path's number and the depth. */
static inline __attribute__((always_inline)) void fall(uint32_t path, int depth)
{
	uint64_t drawn = (path * 4096u + (uint32_t)depth) * 0x9e3779b97f4a7c15u;

	if (depth)
		functions[(drawn >> 40) % FUNCTIONS](path, depth - 1);
	else
		work();
	sink++;
}

#define F0(n)                                                                  \
	static void f##n(uint32_t path, int depth)                             \
	{                                                                      \
		fall(path, depth);                                             \
	}
#define F1(n) F0(n##0) F0(n##1) F0(n##2) F0(n##3)
#define F2(n) F1(n##0) F1(n##1) F1(n##2) F1(n##3)
#define F3(n) F2(n##0) F2(n##1) F2(n##2) F2(n##3)
#define F4(n) F3(n##0) F3(n##1) F3(n##2) F3(n##3)

/* clang-format off */
F4(0) F4(1) F4(2) F4(3)
/* clang-format on */

#define N0(n) f##n,
#define N1(n) N0(n##0) N0(n##1) N0(n##2) N0(n##3)
#define N2(n) N1(n##0) N1(n##1) N1(n##2) N1(n##3)
#define N3(n) N2(n##0) N2(n##1) N2(n##2) N2(n##3)
#define N4(n) N3(n##0) N3(n##1) N3(n##2) N3(n##3)
	static function *const functions[FUNCTIONS] = { N4(0) N4(1) N4(2)
								N4(3) };

static void step(void)
{
	for (uint32_t path = 0; path < PATHS; path++)
		fall(path,
		     LEAST_DEPTH + (int)(path % (MOST_DEPTH - LEAST_DEPTH)));
}

void wide(long steps)
{
	struct timespec a, b;

	step();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	for (long i = 0; i < steps; i++)
		step();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	printf("%.0f ns\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 +
			     (double)(b.tv_nsec - a.tv_nsec)) /
				    (double)(steps * PATHS * (CALLS + 1)));
}
