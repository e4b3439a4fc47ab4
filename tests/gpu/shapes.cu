/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shapes.cu - kernels of known grids, blocks, shared memory and registers.
 */
#include "gpu.h"

#define STATIC_WORDS  1024
#define DYNAMIC_BYTES (16 * 1024)

SPIN_KERNEL(spin_narrow)

/* Uses what it asked for, or the compiler takes it away. */
static __global__ void spin_wide(unsigned long long ns)
{
	__shared__ int words[STATIC_WORDS];
	extern __shared__ int more[];

	words[threadIdx.x % STATIC_WORDS] = (int)threadIdx.x;
	more[threadIdx.x] = words[(threadIdx.x + 1) % STATIC_WORDS];
	__syncthreads();
	spin_for(ns + (more[0] < 0), NULL);
}

static STAYS void launch_narrow(struct tally *t)
{
	unsigned long long ns = MS, *spent = t->spent;

	for (int i = 0; i < 3; i++) {
		LAUNCH(spin_narrow, 7, 64, 0, &ns, &spent);
		t->launches++;
	}
	TRY(cudaDeviceSynchronize());
}

static STAYS void launch_wide(void)
{
	unsigned long long ns = MS;
	void *words[] = { &ns };

	for (int i = 0; i < 4; i++)
		TRY(cudaLaunchKernel((const void *)spin_wide, dim3(5, 2, 3),
				     dim3(32, 16, 2), words, DYNAMIC_BYTES, 0));
	TRY(cudaDeviceSynchronize());
}

static void say(const char *kernel, const void *function, int blocks,
		int threads, int shared)
{
	struct cudaFuncAttributes its;

	TRY(cudaFuncGetAttributes(&its, function));
	truth("shape", kernel, "*", "grid", blocks);
	truth("shape", kernel, "*", "block", threads);
	truth("shape", kernel, "*", "shared", shared);
	/* They are given out by eight. */
	truth("shape", kernel, "*", "registers", (its.numRegs + 7) / 8 * 8);
}

int main(void)
{
	need_gpus(1);
	launch_narrow(tally_new("spin_narrow", "launch_narrow"));
	launch_wide();
	tallies_say();
	truth("kernel", "spin_wide", "launch_wide", "launches", 4);
	say("spin_narrow", (const void *)spin_narrow, 7, 64, 0);
	say("spin_wide", (const void *)spin_wide, 5 * 2 * 3, 32 * 16 * 2,
	    STATIC_WORDS * 4 + DYNAMIC_BYTES);
	return 0;
}
