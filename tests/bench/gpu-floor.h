/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-floor.h - what anybody pays who measures kernels: a library that the CUDA
 * driver loads (CUDA_INJECTION64_PATH), which has CUPTI record kernels and
 * throws the records away.  Its includer defines on_launch(), which is called
 * for each launch by the runtime when LAUNCHES_CALL is 1.
 */
#ifndef BENCH_GPU_FLOOR_H
#define BENCH_GPU_FLOOR_H

#include <cupti.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void on_launch(void);

#define FLOOR_BUFFER ((size_t)4 << 20)

static struct {
#define FUNCTION(name) __typeof__(&name) name;
#define FUNCTIONS                                                              \
	FUNCTION(cuptiActivityRegisterCallbacks)                               \
	FUNCTION(cuptiActivityEnable)                                          \
	FUNCTION(cuptiActivityFlushAll)                                        \
	FUNCTION(cuptiSubscribe)                                               \
	FUNCTION(cuptiEnableCallback)
	FUNCTIONS
#undef FUNCTION
} floor_cupti;

static size_t floor_bytes;

static void floor_give(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = aligned_alloc(4096, FLOOR_BUFFER);
	*size = *buffer ? FLOOR_BUFFER : 0;
	*records = 0;
}

static void floor_take(CUcontext context, uint32_t stream, uint8_t *buffer,
		       size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	__atomic_add_fetch(&floor_bytes, valid, __ATOMIC_RELAXED);
	free(buffer);
}

static void floor_called(void *unused, CUpti_CallbackDomain domain,
			 CUpti_CallbackId id, const void *data)
{
	const CUpti_CallbackData *call = data;

	(void)unused;
	(void)domain;
	(void)id;
	if (call->callbackSite == CUPTI_API_ENTER)
		on_launch();
}

static void floor_end(void)
{
	const char *path = getenv("GPU_FLOOR_BYTES");
	FILE *f;

	floor_cupti.cuptiActivityFlushAll(1);
	f = path ? fopen(path, "a") : NULL;
	if (!f)
		return;
	fprintf(f, "%zu\n", floor_bytes);
	fclose(f);
}

/* Another part of the program may have brought its own: that one. */
static void *floor_library(void)
{
	static const char *const names[] = {
		"libcupti.so.13", "libcupti.so.12", "libcupti.so",
		"/usr/local/cuda/lib64/libcupti.so",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"
	};
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof(names) / sizeof(*names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

static int floor_open(void)
{
	void *library = floor_library();

	if (!library)
		return -1;
#define FUNCTION(name)                                                         \
	floor_cupti.name = (__typeof__(&name))dlsym(library, #name);           \
	if (!floor_cupti.name)                                                 \
		return -1;
	FUNCTIONS
#undef FUNCTION
	return 0;
}

static CUptiResult floor_calls(void)
{
	static const CUpti_CallbackId launches[] = {
		CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
		CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
	};
	CUpti_SubscriberHandle subscriber;
	CUptiResult err;

	err = floor_cupti.cuptiSubscribe(&subscriber, floor_called, NULL);
	for (int i = 0; !err && i < 2; i++)
		err = floor_cupti.cuptiEnableCallback(
			1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
			launches[i]);
	return err;
}

/* The driver calls this by its name. */
int InitializeInjection(void);

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	if (floor_open() ||
	    floor_cupti.cuptiActivityRegisterCallbacks(floor_give,
						       floor_take) ||
	    floor_cupti.cuptiActivityEnable(
		    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ||
	    (LAUNCHES_CALL && floor_calls()))
		fprintf(stderr, "gpu-floor: CUPTI refuses: no floor\n");
	else
		atexit(floor_end);
	return 1;
}

#endif
