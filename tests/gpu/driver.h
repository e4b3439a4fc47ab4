/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.h - for test programs that know the CUDA driver alone: libcuda.so.1,
 * opened when they run, and the kernel of spin.ptx.
 */
#pragma once

#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

#include "truths.h"

#define MS 1000000ULL

/* CALL(name, type of its parameters): the functions that are used. */
#define DRIVER_CALLS(CALL)                                                     \
	CALL(cuInit, (unsigned int))                                           \
	CALL(cuDeviceGetCount, (int *))                                        \
	CALL(cuDeviceGet, (CUdevice *, int))                                   \
	CALL(cuGetErrorName, (CUresult, const char **))                        \
	CALL(cuCtxCreate_v2, (CUcontext *, unsigned int, CUdevice))            \
	CALL(cuCtxDestroy_v2, (CUcontext))                                     \
	CALL(cuCtxSetCurrent, (CUcontext))                                     \
	CALL(cuCtxSynchronize, (void))                                         \
	CALL(cuModuleLoadData, (CUmodule *, const void *))                     \
	CALL(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))      \
	CALL(cuMemHostAlloc, (void **, size_t, unsigned int))                  \
	CALL(cuMemAlloc_v2, (CUdeviceptr *, size_t))                           \
	CALL(cuMemFree_v2, (CUdeviceptr))                                      \
	CALL(cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t))             \
	CALL(cuLaunchKernel,                                                   \
	     (CUfunction, unsigned int, unsigned int, unsigned int,            \
	      unsigned int, unsigned int, unsigned int, unsigned int,          \
	      CUstream, void **, void **))

static struct {
#define CALL(name, parameters) CUresult(*name) parameters;
	DRIVER_CALLS(CALL)
#undef CALL
} driver;

#define DRIVER(name, ...)                                                      \
	do {                                                                   \
		CUresult err_ = driver.name(__VA_ARGS__);                      \
                                                                               \
		if (err_ != CUDA_SUCCESS)                                      \
			broken(#name, driver_error(err_));                     \
	} while (0)

static inline const char *driver_error(CUresult err)
{
	const char *name = "an unknown error";

	driver.cuGetErrorName(err, &name);
	return name;
}

static inline void driver_open(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	int count = 0;

	if (!lib)
		skip_this("needs a GPU, and there is no libcuda.so.1");
#define CALL(name, parameters)                                                 \
	*(void **)&driver.name = dlsym(lib, #name);                            \
	if (!driver.name)                                                      \
		broken(#name, "is not in libcuda.so.1");
	DRIVER_CALLS(CALL)
#undef CALL
	if (driver.cuInit(0) != CUDA_SUCCESS ||
	    driver.cuDeviceGetCount(&count) != CUDA_SUCCESS || count < 1)
		skip_this("needs a GPU, and the driver has none");
}

/* The text of a file, which ends in NUL. */
static inline char *text_of(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 65536);

	if (!f || !text || fread(text, 1, 65535, f) == 0)
		broken(path, "cannot be read");
	fclose(f);
	return text;
}

/* A context of its own with the kernel and a cell for what it took. */
struct spinner {
	CUcontext context;
	CUfunction spin;
	unsigned long long *spent;
	int launches;
};

static inline void spinner_make(struct spinner *s, const char *ptx)
{
	CUdevice device;
	CUmodule module;

	DRIVER(cuDeviceGet, &device, 0);
	DRIVER(cuCtxCreate_v2, &s->context, 0, device);
	DRIVER(cuModuleLoadData, &module, ptx);
	DRIVER(cuModuleGetFunction, &s->spin, module, "spin");
	DRIVER(cuMemHostAlloc, (void **)&s->spent, sizeof(*s->spent), 0);
	*s->spent = 0;
	s->launches = 0;
}

/* In the very function that it stands in. */
#define SPINNER_LAUNCH(s, nanoseconds)                                         \
	do {                                                                   \
		unsigned long long ns_ = (nanoseconds);                        \
		void *words_[] = { &ns_, &(s)->spent };                        \
                                                                               \
		DRIVER(cuLaunchKernel, (s)->spin, 1, 1, 1, 1, 1, 1, 0, NULL,   \
		       words_, NULL);                                          \
		(s)->launches++;                                               \
	} while (0)
