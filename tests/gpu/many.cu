/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * many.cu [LAUNCHES] - very many kernels that do nothing, as quickly as they
 * can be launched (200000): no record may be lost, and memory is bounded.
 */
#include "gpu.h"

static __global__ void nothing(void)
{
}

static STAYS void launch_many(long count)
{
	for (long i = 0; i < count; i++)
		TRY(cudaLaunchKernel((const void *)nothing, dim3(1), dim3(1),
				     NULL, 0, 0));
	TRY(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 200000;

	need_gpus(1);
	launch_many(count);
	truth("kernel", "nothing", "launch_many", "launches", (double)count);
	truth("api", "cudaLaunchKernel", "*", "calls", (double)count);
	return 0;
}
