/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * failures.cu - calls that fail, so many times, with known errors; the program
 * sees the same errors and goes on.
 */
#include "gpu.h"

SPIN_KERNEL(spin_healthy)

/* The calls that failed, by function and error; success: any, but one. */
struct failure {
	const char *function;
	cudaError_t error;
	int count;
};

static void expect(struct failure *f, cudaError_t is)
{
	printf("%s: %s\n", f->function, cudaGetErrorName(is));
	if (f->error == cudaSuccess)
		f->error = is;
	if (is == cudaSuccess || is != f->error)
		broken(f->function, "failed otherwise");
	f->count++;
	cudaGetLastError();
}

static STAYS void fail_all(struct failure *f, int *device)
{
	unsigned long long ns = MS, *none = NULL;
	void *p, *words[2] = { &ns, &none };

	for (int i = 0; i < 2; i++)
		expect(&f[0], cudaMalloc(&p, (size_t)1 << 60));
	for (int i = 0; i < 3; i++)
		expect(&f[1], cudaSetDevice(999));
	expect(&f[2], cudaLaunchKernel((const void *)spin_healthy, dim3(1),
				       dim3(100000), words, 0, 0));
	for (int i = 0; i < 4; i++)
		expect(&f[3],
		       cudaMemcpy(device, device, 16, (enum cudaMemcpyKind)17));
}

/* "Not ready" is an answer, though the call does not return success. */
static STAYS void ask_too_early(struct failure *f, struct tally *t)
{
	SPIN(spin_healthy, 100 * MS, t, 0);
	for (int i = 0; i < 5; i++)
		expect(f, cudaStreamQuery(0));
	TRY(cudaDeviceSynchronize());
}

int main(void)
{
	struct failure failures[] = {
		{ "cudaMalloc", cudaErrorMemoryAllocation, 0 },
		{ "cudaSetDevice", cudaErrorInvalidDevice, 0 },
		{ "cudaLaunchKernel", cudaSuccess, 0 }, /* by CUDA's version */
		{ "cudaMemcpy", cudaErrorInvalidMemcpyDirection, 0 },
		{ "cudaStreamQuery", cudaErrorNotReady, 0 },
	};
	struct tally *t;
	char name[100];
	int *device;

	need_gpus(1);
	TRY(cudaMalloc((void **)&device, 1 * MIB));
	t = tally_new("spin_healthy", "ask_too_early");
	fail_all(failures, device);
	ask_too_early(&failures[4], t);
	tallies_say();
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		bool answer = failures[i].error == cudaErrorNotReady;

		snprintf(name, sizeof(name), "%s/%s", failures[i].function,
			 cudaGetErrorName(failures[i].error));
		truth("error", name, "*", "calls",
		      answer ? 0 : failures[i].count);
	}
	return 0;
}
