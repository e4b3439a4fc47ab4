/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu.h - for test programs in CUDA: kernels that spin for a given time, in one
 * thread, and tallies of what was launched from where and how long it took by
 * the device's own clock.
 */
#pragma once

#include <cuda_runtime.h>
#include <unistd.h>

#include "truths.h"

#define MS  1000000ULL
#define MIB ((size_t)1 << 20)

#define TRY(call)                                                              \
	do {                                                                   \
		cudaError_t err_ = call;                                       \
                                                                               \
		if (err_ != cudaSuccess)                                       \
			broken(#call, cudaGetErrorString(err_));               \
	} while (0)

static inline void need_gpus(int wanted)
{
	int have = 0;
	cudaError_t err = cudaGetDeviceCount(&have);
	char why[200];

	if (err == cudaSuccess && have >= wanted)
		return;
	snprintf(why, sizeof(why), "needs %d GPU%s, found %d (%s)", wanted,
		 wanted > 1 ? "s" : "", have, cudaGetErrorString(err));
	skip_this(why);
}

static inline __device__ unsigned long long device_now(void)
{
	unsigned long long ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

/* Spins; *spent, if given, grows by what that took. */
static inline __device__ void spin_for(unsigned long long ns,
				       unsigned long long *spent)
{
	unsigned long long start = device_now(), end;

	do
		end = device_now();
	while (end - start < ns);
	if (spent && threadIdx.x == 0 && blockIdx.x == 0)
		*spent += end - start;
}

#define SPIN_KERNEL(name)                                                      \
	__global__ void name(unsigned long long ns, unsigned long long *spent) \
	{                                                                      \
		spin_for(ns, spent);                                           \
	}

/*
 * One kernel from one call path; not for several streams at a time.  What it
 * took the device adds up in memory of the host, so that no copy is needed.
 */
struct tally {
	const char *kernel, *path;
	unsigned long long launches, *spent;
};

#define MAX_TALLIES 64
static struct tally tallies[MAX_TALLIES];
static int tally_count;
static unsigned long long *tally_cells;

static inline struct tally *tally_new(const char *kernel, const char *path)
{
	struct tally *t = &tallies[tally_count];

	if (!tally_cells) {
		TRY(cudaHostAlloc((void **)&tally_cells,
				  MAX_TALLIES * sizeof(*tally_cells),
				  cudaHostAllocPortable));
		for (int i = 0; i < MAX_TALLIES; i++)
			tally_cells[i] = 0;
	}
	t->kernel = kernel;
	t->path = path;
	t->launches = 0;
	t->spent = &tally_cells[tally_count++];
	return t;
}

/* Launches in the very function that it stands in, and nothing else. */
#define LAUNCH(kernel, blocks, threads, stream, ...)                           \
	do {                                                                   \
		void *words_[] = { __VA_ARGS__ };                              \
                                                                               \
		TRY(cudaLaunchKernel((const void *)kernel, dim3(blocks),       \
				     dim3(threads), words_, 0, stream));       \
	} while (0)

#define SPIN(kernel, ns, tally, stream)                                        \
	do {                                                                   \
		unsigned long long ns_ = (ns), *spent_ = (tally)->spent;       \
                                                                               \
		LAUNCH(kernel, 1, 1, stream, &ns_, &spent_);                   \
		(tally)->launches++;                                           \
	} while (0)

/* After all of it ended: what each did; the launches in all. */
static inline unsigned long long tallies_say(void)
{
	unsigned long long launches = 0;

	for (int i = 0; i < tally_count; i++) {
		struct tally *t = &tallies[i];

		truth("kernel", t->kernel, t->path, "launches",
		      (double)t->launches);
		measured("kernel", t->kernel, t->path, "time",
			 (double)*t->spent * 1e-9);
		launches += t->launches;
	}
	return launches;
}

/* The same, with the calls that launched. */
static inline void tallies_and_calls_say(void)
{
	truth("api", "cudaLaunchKernel", "*", "calls", (double)tallies_say());
}
