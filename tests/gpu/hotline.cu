/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hotline.cu - a kernel that spends nearly all its time on one source line, for
 * PC sampling.
 */
#include "gpu.h"

#define ROUNDS 2000000

/* A chain of operations, each of which waits for the one before. */
static __global__ void one_hot_line(float *data, int rounds, int *where)
{
	float x = data[threadIdx.x];
	int line = 0;

	for (int i = 0; i < rounds; i++)
		x = x * 0.999f + 1.0f, line = __LINE__;
	data[threadIdx.x] = x;
	*where = line;
}

static STAYS void launch_hot(float *data, int *where)
{
	int rounds = ROUNDS;

	for (int i = 0; i < 20; i++)
		LAUNCH(one_hot_line, 132, 256, 0, &data, &rounds, &where);
	TRY(cudaDeviceSynchronize());
}

int main(void)
{
	float *data, first;
	int *where;
	char line[40];

	need_gpus(1);
	TRY(cudaMalloc((void **)&data, 256 * sizeof(*data)));
	TRY(cudaMemset(data, 0, 256 * sizeof(*data)));
	TRY(cudaHostAlloc((void **)&where, sizeof(*where),
			  cudaHostAllocDefault));
	launch_hot(data, where);
	TRY(cudaMemcpy(&first, data, sizeof(first), cudaMemcpyDeviceToHost));
	printf("%.3f\n", first);
	truth("kernel", "one_hot_line", "launch_hot", "launches", 20);
	snprintf(line, sizeof(line), "hotline.cu:%d", *where);
	truth("line", line, "*", "share", 1);
	return 0;
}
