/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reset.cu - the device is reset in the middle, right after kernels whose
 * records nobody may have fetched yet, and used again.
 */
#include "gpu.h"

SPIN_KERNEL(spin_first)
SPIN_KERNEL(spin_second)

static STAYS void before_reset(struct tally *t)
{
	for (int i = 0; i < 30; i++)
		SPIN(spin_first, MS / 2, t, 0);
	TRY(cudaDeviceSynchronize());
}

static STAYS void after_reset(struct tally *t)
{
	for (int i = 0; i < 40; i++)
		SPIN(spin_second, MS / 2, t, 0);
	TRY(cudaDeviceSynchronize());
}

int main(void)
{
	need_gpus(1);
	before_reset(tally_new("spin_first", "before_reset"));
	tallies_say();
	TRY(cudaDeviceReset());
	/* The memory of the tallies went with it. */
	tally_cells = NULL;
	tally_count = 0;
	after_reset(tally_new("spin_second", "after_reset"));
	tallies_say();
	truth("api", "cudaDeviceReset", "*", "calls", 1);
	truth("api", "cudaLaunchKernel", "*", "calls", 30 + 40);
	return 0;
}
