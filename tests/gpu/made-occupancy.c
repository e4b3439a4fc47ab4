/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-occupancy.c - the rule of analyse/gpu/occupancy.c against the toolkit's
 * own header, for devices of many kinds and launches of many shapes.  Prints
 * how many were compared; 1: one differs.
 */
#include "analyse/gpu/occupancy.h"

#include <stdio.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

/* As the CUDA C++ Programming Guide has them, by compute capability. */
static const struct run_model models[] = {
	{ 5, 2, 24, 32, 2048, 32, 65536, 98304, 65536, 0 },
	{ 6, 0, 56, 32, 2048, 32, 65536, 65536, 65536, 0 },
	{ 6, 1, 28, 32, 2048, 32, 65536, 98304, 65536, 0 },
	{ 7, 0, 80, 32, 2048, 32, 65536, 98304, 65536, 0 },
	{ 7, 5, 40, 32, 1024, 16, 65536, 65536, 65536, 0 },
	{ 8, 0, 108, 32, 2048, 32, 65536, 167936, 65536, 1024 },
	{ 8, 6, 84, 32, 1536, 16, 65536, 102400, 65536, 1024 },
	{ 8, 9, 142, 32, 1536, 24, 65536, 102400, 65536, 1024 },
	{ 9, 0, 132, 32, 2048, 32, 65536, 233472, 65536, 1024 },
	{ 10, 0, 148, 32, 2048, 32, 65536, 233472, 65536, 1024 },
	{ 12, 0, 170, 32, 1536, 24, 65536, 102400, 65536, 1024 },
};

enum {
	FAILED = -1,
	TOO_NEW = -2, /* the device, for this toolkit */
};

static int theirs(const struct run_model *m, const struct run_shape *s)
{
	cudaOccDeviceProp device = {
		.computeMajor = (int)m->major,
		.computeMinor = (int)m->minor,
		.maxThreadsPerBlock = 1024,
		.maxThreadsPerMultiprocessor = (int)m->threads,
		.regsPerBlock = (int)m->block_registers,
		.regsPerMultiprocessor = (int)m->registers,
		.warpSize = (int)m->warp,
		.sharedMemPerBlock = 49152,
		.sharedMemPerMultiprocessor = m->shared,
		.numSms = (int)m->multiprocessors,
		.sharedMemPerBlockOptin = m->shared - m->reserved_shared,
		.reservedSharedMemPerBlock = m->reserved_shared,
	};
	cudaOccFuncAttributes function = {
		.maxThreadsPerBlock = 1024,
		.numRegs = (int)s->registers,
		.sharedSizeBytes = s->static_shared,
		.partitionedGCConfig = PARTITIONED_GC_OFF,
		.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
		.maxDynamicSharedSizeBytes = s->dynamic_shared,
	};
	cudaOccDeviceState state = { .carveoutConfig = 100 };
	cudaOccResult result;
	cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
		&result, &device, &function, &state, (int)s->block_x,
		s->dynamic_shared);

	if (error)
		return error == CUDA_OCC_ERROR_UNKNOWN_DEVICE ? TOO_NEW
							      : FAILED;
	return result.activeBlocksPerMultiprocessor;
}

static int compared, wrong;

static void compare(const struct run_model *m, const struct run_shape *s)
{
	int want = theirs(m, s);
	int got = (int)occupancy_of(m, s).blocks;

	if (want == TOO_NEW)
		return;
	compared++;
	if (want == got)
		return;
	wrong++;
	fprintf(stderr,
		"%u.%u: %u threads, %u registers, %u + %u bytes: %d blocks, "
		"not %d\n",
		m->major, m->minor, s->block_x, s->registers, s->static_shared,
		s->dynamic_shared, got, want);
}

int main(void)
{
	static const uint32_t registers[] = { 16, 24, 32, 40,  48,  63,
					      64, 72, 96, 128, 168, 255 };

	for (size_t m = 0; m < sizeof(models) / sizeof(*models); m++)
		for (uint32_t block = 1; block <= 1024; block += 31)
			for (size_t r = 0; r < 12; r++)
				for (uint32_t shared = 0; shared <= 45000;
				     shared += 1777) {
					struct run_shape s = {
						.block_x = block,
						.block_y = 1,
						.block_z = 1,
						.registers = registers[r],
						.static_shared = shared / 3,
						.dynamic_shared =
							shared - shared / 3,
					};

					compare(&models[m], &s);
				}
	printf("%d launches compared, %d differ\n", compared, wrong);
	return wrong || !compared;
}
