/* SPDX-License-Identifier: BSD-3-Clause */
/* made-allocs.c - parts of made.c that allocate, and shapes of launches. */
#include "made-allocs.h"

#include <stdlib.h>
#include <unistd.h>

#include "made-cuda.h"

#define NOINLINE __attribute__((noinline, noclone))
#define MIB      ((uint64_t)1 << 20)

static volatile int sink;
static uint64_t kept[64];

/* 10 of 1 MiB, which others free. */
NOINLINE static void grow(void)
{
	for (int i = 0; i < 10; i++)
		kept[i] = made_cudaMalloc(MIB);
	sink++;
}

/* The peak of the device, for a moment: 10 + 64 MiB. */
NOINLINE static void burst(void)
{
	made_cudaFree(made_cudaMalloc(64 * MIB));
	sink++;
}

/* 3 of 2 MiB that are left, and all of grow()'s go. */
NOINLINE static void forget(void)
{
	for (int i = 0; i < 3; i++)
		made_cudaMalloc(2 * MIB);
	for (int i = 0; i < 10; i++)
		made_cudaFree(kept[i]);
	sink++;
}

/* 4 MiB managed are left, 8 of the host and 10 times 16 of a pool are freed. */
NOINLINE static void others(void)
{
	made_cudaMallocManaged(4 * MIB);
	made_migrate(MIB);
	made_cudaFreeHost(made_cudaHostAlloc(8 * MIB));
	for (int i = 0; i < 10; i++)
		made_cudaFreeAsync(made_cudaMallocAsync(16 * MIB));
	sink++;
}

void allocs(void)
{
	grow();
	burst();
	forget();
	others();
	sink++;
}

/* 30 of 1 MiB, 40 ms apart: all is left, and it grows until the end. */
NOINLINE static void leak(void)
{
	for (int i = 0; i < 30; i++) {
		kept[i] = made_cudaMalloc(MIB);
		usleep(40000);
	}
	sink++;
}

void allocs_leak(void)
{
	leak();
	sink++;
}

static void free_kept(void)
{
	for (int i = 0; i < 30; i++)
		made_cudaFree(kept[i]);
}

/* The same, freed as the process ends, as destructors do. */
void allocs_late(void)
{
	atexit(free_kept);
	leak();
	sink++;
}

/* What is kept from the beginning to the end is nobody's fault. */
void allocs_once(void)
{
	for (int i = 0; i < 30; i++)
		made_cudaMalloc(MIB);
	usleep(150000);
}

/* 10 MiB that go with their context, and 64 that are freed in the next. */
void allocs_reset(void)
{
	grow();
	made_cudaDeviceReset();
	burst();
	sink++;
}

/* alpha: grids of 1 to 5, limited by registers; beta: by shared memory. */
void allocs_shapes(void)
{
	struct made_shape wide = { { 1, 1, 1 }, { 32, 16, 1 }, 96, 0, 0, 8 };
	struct made_shape shared = { { 2, 3, 4 }, { 128, 1, 1 }, 32,
				     1024,        65536,         0 };
	struct made_shape full = { { 7, 1, 1 }, { 256, 1, 1 }, 32, 0, 0, 0 };

	for (int i = 1; i <= 5; i++) {
		wide.grid[0] = i;
		made_next_shape(&wide);
		made_cudaLaunchKernel("_Z5alphaPfi", 0, 1000000);
	}
	made_next_shape(&shared);
	made_cudaLaunchKernel("_Z4betaPf", 0, 1000000);
	made_next_shape(&full);
	made_cudaLaunchKernel("_Z4betaPf", 0, 500000);
}
