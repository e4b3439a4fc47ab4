/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * load.cu [SECONDS] - idle, then all of the GPU at work for SECONDS (4), then
 * idle again, for what power is measured by.
 */
#include "gpu.h"

/* Fused multiply-adds on all processors, until the time is over. */
static __global__ void burn(unsigned long long ns, float *out)
{
	unsigned long long start = device_now();
	float x = threadIdx.x, y = 1.0f, z = 2.0f, w = 3.0f;

	while (device_now() - start < ns)
		for (int i = 0; i < 1000; i++) {
			x = x * 0.999f + 1.0f;
			y = y * 0.998f + x;
			z = z * 0.997f + 1.0f;
			w = w * 0.996f + z;
		}
	if (x + y + z + w == 12345.0f)
		*out = x;
}

static STAYS void full_load(double seconds, float *out)
{
	unsigned long long ns = 100 * MS;
	double end = clock_seconds() + seconds;

	while (clock_seconds() < end) {
		LAUNCH(burn, 132 * 8, 256, 0, &ns, &out);
		TRY(cudaDeviceSynchronize());
	}
}

int main(int argc, char **argv)
{
	float *out;

	need_gpus(1);
	TRY(cudaMalloc((void **)&out, sizeof(*out)));
	sleep(1);
	full_load(argc > 1 ? atof(argv[1]) : 4, out);
	sleep(1);
	return 0;
}
