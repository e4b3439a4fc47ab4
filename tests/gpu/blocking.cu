/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * blocking.cu - copies that return when all is done wait for the kernel before
 * them; one that does not wait takes no time.
 */
#include "gpu.h"

SPIN_KERNEL(spin_before)

static unsigned long long *device;

static STAYS double copy_back(struct tally *t)
{
	unsigned long long value;
	double start;

	SPIN(spin_before, 100 * MS, t, 0);
	start = clock_seconds();
	TRY(cudaMemcpy(&value, device, sizeof(value), cudaMemcpyDeviceToHost));
	return clock_seconds() - start;
}

static STAYS void copy_later(struct tally *t, unsigned long long *pinned)
{
	SPIN(spin_before, 100 * MS, t, 0);
	TRY(cudaMemcpyAsync(pinned, device, sizeof(*pinned),
			    cudaMemcpyDeviceToHost, 0));
}

int main(void)
{
	unsigned long long *pinned;
	struct tally *back, *later;
	double waited = 0, start;

	need_gpus(1);
	TRY(cudaMalloc((void **)&device, sizeof(*device)));
	TRY(cudaHostAlloc((void **)&pinned, sizeof(*pinned), 0));
	back = tally_new("spin_before", "copy_back");
	later = tally_new("spin_before", "copy_later");
	for (int i = 0; i < 5; i++)
		waited += copy_back(back);
	measured("wait", "cudaMemcpy", "*", "time", waited);
	copy_later(later, pinned);
	start = clock_seconds();
	TRY(cudaDeviceSynchronize());
	measured("wait", "cudaDeviceSynchronize", "*", "time",
		 clock_seconds() - start);
	truth("wait", "cudaMemcpyAsync", "*", "time", 0);
	tallies_say();
	return 0;
}
