/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.cu [all] - cudaProfilerStart and cudaProfilerStop: only what is
 * launched between them counts (copse run --from-start=off); all: nobody waits
 * for them, and all of it does.
 */
#include <cuda_profiler_api.h>

#include "gpu.h"

SPIN_KERNEL(spin_window)

static STAYS void before_start(struct tally *t)
{
	for (int i = 0; i < 5; i++)
		SPIN(spin_window, MS / 2, t, 0);
}

static STAYS void between(struct tally *t)
{
	for (int i = 0; i < 7; i++)
		SPIN(spin_window, MS / 2, t, 0);
}

static STAYS void after_stop(struct tally *t)
{
	for (int i = 0; i < 3; i++)
		SPIN(spin_window, MS / 2, t, 0);
}

int main(int argc, char **argv)
{
	struct tally *early, *inside, *late;

	need_gpus(1);
	early = tally_new("spin_window", "before_start");
	inside = tally_new("spin_window", "between");
	late = tally_new("spin_window", "after_stop");
	for (int i = 0; i < 2; i++) {
		before_start(early);
		TRY(cudaDeviceSynchronize());
		TRY(cudaProfilerStart());
		between(inside);
		TRY(cudaDeviceSynchronize());
		TRY(cudaProfilerStop());
		after_stop(late);
		TRY(cudaDeviceSynchronize());
	}
	(void)argv;
	if (argc < 2) {
		early->launches = late->launches = 0;
		*early->spent = *late->spent = 0;
	}
	tallies_say();
	return 0;
}
