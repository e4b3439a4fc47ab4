/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copies.cu - copies and memsets of known sizes, so many times, each kind from
 * a function of its own.
 */
#include <string.h>

#include "gpu.h"

#define PLAIN   (8 * MIB)
#define LOCKED  (16 * MIB)
#define INSIDE  (32 * MIB)
#define CLEARED (64 * MIB)
#define WIDTH   1000
#define HEIGHT  100

__constant__ char constants[256];
static char *pageable, *pinned, *device, *other;

static STAYS void up_pageable(void)
{
	for (int i = 0; i < 3; i++)
		TRY(cudaMemcpy(device, pageable, PLAIN,
			       cudaMemcpyHostToDevice));
}

static STAYS void up_pinned(void)
{
	for (int i = 0; i < 4; i++)
		TRY(cudaMemcpyAsync(device, pinned, LOCKED,
				    cudaMemcpyHostToDevice, 0));
	TRY(cudaDeviceSynchronize());
}

static STAYS void down_pageable(void)
{
	for (int i = 0; i < 2; i++)
		TRY(cudaMemcpy(pageable, device, PLAIN,
			       cudaMemcpyDeviceToHost));
}

static STAYS void down_pinned(void)
{
	for (int i = 0; i < 5; i++)
		TRY(cudaMemcpyAsync(pinned, device, LOCKED,
				    cudaMemcpyDeviceToHost, 0));
	TRY(cudaDeviceSynchronize());
}

static STAYS void on_device(void)
{
	for (int i = 0; i < 6; i++)
		TRY(cudaMemcpy(other, device, INSIDE,
			       cudaMemcpyDeviceToDevice));
	TRY(cudaDeviceSynchronize());
}

static STAYS void clear(void)
{
	for (int i = 0; i < 7; i++)
		TRY(cudaMemset(device, i, CLEARED));
	TRY(cudaDeviceSynchronize());
}

/* Rows with gaps between them: only the rows are moved. */
static STAYS void up_rows(void)
{
	TRY(cudaMemcpy2D(device, 2048, pinned, WIDTH, WIDTH, HEIGHT,
			 cudaMemcpyHostToDevice));
}

static STAYS void up_constants(void)
{
	TRY(cudaMemcpyToSymbol(constants, pinned, sizeof(constants)));
}

static void say(const char *kind, const char *path, int count, double bytes)
{
	truth("transfer", kind, path, "count", count);
	truth("transfer", kind, path, "bytes", count * bytes);
}

static void say_all(void)
{
	say("HtoD", "up_pageable", 3, PLAIN);
	say("HtoD", "up_pinned", 4, LOCKED);
	say("DtoH", "down_pageable", 2, PLAIN);
	say("DtoH", "down_pinned", 5, LOCKED);
	say("DtoD", "on_device", 6, INSIDE);
	say("memset", "clear", 7, CLEARED);
	say("HtoD", "up_rows", 1, WIDTH * HEIGHT);
	say("HtoD", "up_constants", 1, sizeof(constants));
	truth("pinned", "HtoD/pageable", "up_pageable", "bytes", 3.0 * PLAIN);
	truth("pinned", "HtoD/pinned", "up_pinned", "bytes", 4.0 * LOCKED);
	truth("pinned", "DtoH/pageable", "down_pageable", "bytes", 2.0 * PLAIN);
	truth("pinned", "DtoH/pinned", "down_pinned", "bytes", 5.0 * LOCKED);
	truth("api", "cudaMemcpy", "*", "calls", 3 + 2 + 6);
	truth("api", "cudaMemcpyAsync", "*", "calls", 4 + 5);
	truth("api", "cudaMemset", "*", "calls", 7);
}

int main(void)
{
	need_gpus(1);
	pageable = (char *)calloc(1, PLAIN);
	TRY(cudaHostAlloc((void **)&pinned, LOCKED, cudaHostAllocDefault));
	memset(pinned, 5, LOCKED);
	TRY(cudaMalloc((void **)&device, CLEARED));
	TRY(cudaMalloc((void **)&other, INSIDE));
	up_pageable();
	up_pinned();
	down_pageable();
	down_pinned();
	on_device();
	clear();
	up_rows();
	up_constants();
	printf("the last byte is %d\n", pageable[PLAIN - 1]);
	say_all();
	return 0;
}
