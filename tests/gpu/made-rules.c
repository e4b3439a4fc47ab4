/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-rules.c - for each rule on GPUs work that breaks it, and work that does
 * not, of a made CUDA.  `made-rules MODE`.
 */
#include "made-cuda.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))
#define US       ((uint64_t)1000)
#define MS       ((uint64_t)1000000)
#define MB       ((uint64_t)1000000)

static volatile int sink;

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

NOINLINE static void prepare(uint64_t ns)
{
	uint64_t until = clock_ns() + ns;

	while (clock_ns() < until)
		sink++;
}

NOINLINE static void compute(uint64_t ns)
{
	made_cudaLaunchKernel("_Z5alphaPfi", 1, ns);
	made_cudaDeviceSynchronize(ns);
	sink++;
}

/* A block for each of 100 kernels of 2 ms. */
NOINLINE static void allocate(void)
{
	for (int i = 0; i < 100; i++) {
		uint64_t block = made_cudaMalloc(MB);

		compute(2 * MS);
		made_cudaFree(block);
	}
}

/* One block for all of them. */
NOINLINE static void hoist(void)
{
	uint64_t block = made_cudaMalloc(MB);

	for (int i = 0; i < 100; i++)
		compute(2 * MS);
	made_cudaFree(block);
}

/* Blocks from a pool. */
NOINLINE static void pool(void)
{
	for (int i = 0; i < 100; i++) {
		uint64_t block = made_cudaMallocAsync(MB);

		compute(2 * MS);
		made_cudaFreeAsync(block);
	}
}

/* So many copies of a size, each in that time, none beside a kernel. */
NOINLINE static void copy(int times, uint64_t bytes, uint64_t ns)
{
	for (int i = 0; i < times; i++) {
		made_cudaMemcpyAsync(MADE_TO, bytes, ns);
		made_cudaDeviceSynchronize(ns);
	}
	compute(10 * MS);
}

/* The same, all of it beside a kernel. */
NOINLINE static void copy_beside(int times, uint64_t bytes, uint64_t ns)
{
	made_cudaLaunchKernel("_Z5alphaPfi", 1, ns * (uint64_t)(times + 1));
	for (int i = 0; i < times; i++) {
		made_cudaMemcpyAsync(MADE_TO, bytes, ns);
		made_cudaDeviceSynchronize(ns);
	}
}

/* While it waits the device works, while it prepares the device is idle. */
NOINLINE static void run_dry(void)
{
	for (int i = 0; i < 100; i++) {
		made_cudaLaunchKernel("_Z5alphaPfi", 1, 2 * MS);
		made_cudaDeviceSynchronize(2 * MS);
		prepare(2 * MS);
	}
}

/* The same work, waited for once. */
NOINLINE static void run_ahead(void)
{
	for (int i = 0; i < 100; i++) {
		made_cudaLaunchKernel("_Z5alphaPfi", 1, 2 * MS);
		prepare(2 * MS);
	}
	made_cudaDeviceSynchronize(2 * MS);
}

/* What is waited for is fetched. */
NOINLINE static void fetch(void)
{
	for (int i = 0; i < 100; i++) {
		made_cudaLaunchKernel("_Z5alphaPfi", 0, 2 * MS);
		made_cudaDeviceSynchronize(2 * MS);
		made_cudaMemcpyAsync(MADE_FROM, 8, US);
		prepare(2 * MS);
	}
}

/* Kernels that are shorter than their launch. */
NOINLINE static void launch_short(void)
{
	uint64_t until = clock_ns() + 300 * MS;

	while (clock_ns() < until)
		made_cudaLaunchKernel("_Z4tinyv", 1, 100);
}

/* Short graphs: who replays them knows what a graph is. */
NOINLINE static void replay(void)
{
	uint64_t until = clock_ns() + 300 * MS;

	while (clock_ns() < until)
		made_cudaGraphLaunch(1, 100);
}

/* Blocks of the host's memory, once, for all kernels. */
NOINLINE static void pin_once(void)
{
	uint64_t blocks[100];

	for (int i = 0; i < 100; i++)
		blocks[i] = made_cudaHostAlloc(MB);
	for (int i = 0; i < 50; i++)
		compute(2 * MS);
	for (int i = 0; i < 100; i++)
		made_cudaFreeHost(blocks[i]);
}

/* Kernels for which the device needs far longer. */
NOINLINE static void launch_long(void)
{
	for (int i = 0; i < 100; i++)
		made_cudaLaunchKernel("_Z5alphaPfi", 1, 3 * MS);
	made_cudaDeviceSynchronize(300 * MS);
}

/* On each of two devices kernels of so many ms. */
NOINLINE static void share_out(uint64_t first, uint64_t second)
{
	uint64_t most = first > second ? first : second;

	for (int i = 0; i < 20; i++) {
		made_cudaSetDevice(0);
		made_cudaLaunchKernel("_Z5alphaPfi", 1, first * MS);
		made_cudaSetDevice(1);
		made_cudaLaunchKernel("_Z5alphaPfi", 2, second * MS);
		made_cudaDeviceSynchronize(most * MS);
	}
}

/* Large, and soon done beside what is computed then. */
NOINLINE static void copy_once(void)
{
	copy(2, 64 * MB, 6 * MS);
	compute(200 * MS);
}

static void run_copies(const char *mode)
{
	if (!strcmp(mode, "pieces"))
		copy(300, 64 * 1000, MS);
	else if (!strcmp(mode, "bulk"))
		copy_once();
	else if (!strcmp(mode, "slow"))
		copy(10, 10 * MB, 20 * MS);
	else if (!strcmp(mode, "fast"))
		copy(20, 200 * MB, 20 * MS);
	else if (!strcmp(mode, "beside"))
		copy_beside(20, 200 * MB, 20 * MS);
}

/* 40 kernels of 10 ms, each launched so. */
NOINLINE static void shaped(const char *kernel, int blocks, int shared)
{
	const struct made_shape like = {
		{ blocks, 1, 1 }, { 128, 1, 1 }, 32, 0, shared, 0
	};

	made_next_shape(&like);
	for (int i = 0; i < 40; i++) {
		made_cudaLaunchKernel(kernel, 1, 10 * MS);
		made_cudaDeviceSynchronize(10 * MS);
	}
	sink++;
}

#define GEMM  "_Z16xmma_gemm_f32f32Pf"
#define SGEMM "_Z10cute_sgemmPf"
#define TANH  "_ZN2at6native29vectorized_elementwise_kernelEPf"
#define HIST  "_Z12crowded_histPf"

static void run_shapes(const char *mode)
{
	if (!strcmp(mode, "narrow")) {
		shaped("_Z5alphaPfi", 13, 0);
	} else if (!strcmp(mode, "broad")) {
		shaped("_Z5alphaPfi", 1320, 0);
	} else if (!strcmp(mode, "fp32")) {
		shaped(GEMM, 1320, 0);
		shaped(SGEMM, 1320, 0);
	} else if (!strcmp(mode, "unfused")) {
		shaped(TANH, 13200, 0);
	} else if (!strcmp(mode, "crowded")) {
		shaped(HIST, 132, 190000);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *mode;
		void (*run)(void);
	} modes[] = {
		{ "allocate", allocate },  { "hoist", hoist },
		{ "pool", pool },          { "dry", run_dry },
		{ "ahead", run_ahead },    { "fetch", fetch },
		{ "short", launch_short }, { "long", launch_long },
		{ "replay", replay },      { "pinned", pin_once },
	};
	const char *mode = argc > 1 ? argv[1] : "";

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(mode, modes[i].mode))
			modes[i].run();
	if (!strcmp(mode, "uneven"))
		share_out(5, 15);
	else if (!strcmp(mode, "even"))
		share_out(15, 15);
	run_copies(mode);
	run_shapes(mode);
	return 0;
}
