/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * managed.cu - unified memory that is written by the host, used by the device
 * and read by the host again: known bytes move, and somebody has to fault.
 */
#include "gpu.h"

#define BYTES (32 * MIB)
#define COUNT (BYTES / sizeof(int))
#define TURNS 3

static __global__ void add_one(int *data, size_t count)
{
	size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
	     i += step)
		data[i]++;
}

static STAYS void use_on_device(int *data)
{
	size_t count = COUNT;

	LAUNCH(add_one, 64, 256, 0, &data, &count);
	TRY(cudaDeviceSynchronize());
}

static STAYS long use_on_host(int *data)
{
	long sum = 0;

	for (size_t i = 0; i < COUNT; i++)
		sum += data[i]++;
	return sum;
}

/* Where memory is one for both, nothing moves and nothing can be tested. */
static void need_migration(void)
{
	int managed, pageable;

	TRY(cudaDeviceGetAttribute(&managed, cudaDevAttrConcurrentManagedAccess,
				   0));
	TRY(cudaDeviceGetAttribute(
		&pageable, cudaDevAttrPageableMemoryAccessUsesHostPageTables,
		0));
	if (!managed || pageable)
		skip_this("needs a GPU that migrates managed memory");
}

int main(void)
{
	long sum = 0;
	int *data;

	need_gpus(1);
	need_migration();
	TRY(cudaMallocManaged((void **)&data, BYTES));
	for (size_t i = 0; i < COUNT; i++)
		data[i] = 0;
	for (int i = 0; i < TURNS; i++) {
		use_on_device(data);
		sum += use_on_host(data);
	}
	printf("sum %ld, expected %ld\n", sum, (long)COUNT * TURNS * TURNS);
	truth("unified", "HtoD", "*", "bytes", (double)TURNS * BYTES);
	truth("unified", "DtoH", "*", "bytes", (double)TURNS * BYTES);
	truth("unified", "gpu-faults", "*", "faults", TURNS);
	truth("unified", "cpu-faults", "*", "faults", TURNS);
	TRY(cudaFree(data));
	return sum != (long)COUNT * TURNS * TURNS;
}
