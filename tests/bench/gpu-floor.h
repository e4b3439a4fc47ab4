/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-floor.h - what anybody pays who measures kernels: a library that the CUDA
 * driver loads (CUDA_INJECTION64_PATH), which has CUPTI record kernels and
 * throws the records away.  Its includer defines LAUNCHES_CALL: 1 has
 * on_launch(), which is the includer's, called for each launch by the runtime;
 * 2 as well, and all calls of the runtime and the driver are called back for.
 *
 * It may define more of what CUPTI is asked for, so that what each part costs
 * is known:
 *   FLOOR_KINDS  further kinds of records
 *   FLOOR_CLOCK  1: times by a clock of ours; how often it is read for a
 *                launch is told in the file GPU_FLOOR_CLOCK
 *   FLOOR_FLUSH  1: a thread asks for what is complete each second
 */
#pragma once

#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef FLOOR_KINDS
#define FLOOR_KINDS
#endif
#ifndef FLOOR_CLOCK
#define FLOOR_CLOCK 0
#endif
#ifndef FLOOR_FLUSH
#define FLOOR_FLUSH 0
#endif

static void on_launch(void);

#define FLOOR_BUFFER ((size_t)4 << 20)

static struct {
#define FUNCTION(name) __typeof__(&name) name;
#define FUNCTIONS                                                              \
	FUNCTION(cuptiActivityRegisterCallbacks)                               \
	FUNCTION(cuptiActivityEnable)                                          \
	FUNCTION(cuptiActivityFlushAll)                                        \
	FUNCTION(cuptiActivityRegisterTimestampCallback)                       \
	FUNCTION(cuptiSubscribe)                                               \
	FUNCTION(cuptiEnableCallback)                                          \
	FUNCTION(cuptiEnableDomain)
	FUNCTIONS
#undef FUNCTION
} floor_cupti;

static size_t floor_bytes;
static unsigned long floor_readings;

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

static uint64_t floor_now(void)
{
	struct timespec t;

	__atomic_add_fetch(&floor_readings, 1, __ATOMIC_RELAXED);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *floor_flush(void *unused)
{
	for (;;) {
		sleep(1);
		floor_cupti.cuptiActivityFlushAll(0);
	}
	return unused;
}

static void floor_tell(const char *variable, size_t number)
{
	const char *path = getenv(variable);
	FILE *f = path ? fopen(path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%zu\n", number);
	fclose(f);
}

static void floor_end(void)
{
	floor_cupti.cuptiActivityFlushAll(1);
	floor_tell("GPU_FLOOR_BYTES", floor_bytes);
	floor_tell("GPU_FLOOR_CLOCK", floor_readings);
}

/* The one that copse is told to take; one that the program has brought. */
static void *floor_library(void)
{
	static const char *const names[] = {
		"libcupti.so.13", "libcupti.so.12", "libcupti.so",
		"/usr/local/cuda/lib64/libcupti.so",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"
	};
	const char *chosen = getenv("COPSE_CUPTI");
	void *library = chosen ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;

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
	for (int i = 0; !err && LAUNCHES_CALL > 1 && i < 2; i++)
		err = floor_cupti.cuptiEnableDomain(
			1, subscriber,
			i ? CUPTI_CB_DOMAIN_DRIVER_API
			  : CUPTI_CB_DOMAIN_RUNTIME_API);
	return err;
}

/* Kernels are needed; of the rest what there is. */
static CUptiResult floor_records(void)
{
	static const CUpti_ActivityKind kinds[] = {
		CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, FLOOR_KINDS
	};
	pthread_t thread;
	CUptiResult err;

	if (FLOOR_CLOCK)
		floor_cupti.cuptiActivityRegisterTimestampCallback(floor_now);
	err = floor_cupti.cuptiActivityRegisterCallbacks(floor_give,
							 floor_take);
	if (!err)
		err = floor_cupti.cuptiActivityEnable(kinds[0]);
	for (size_t i = 1; !err && i < sizeof(kinds) / sizeof(*kinds); i++)
		floor_cupti.cuptiActivityEnable(kinds[i]);
	if (FLOOR_FLUSH)
		pthread_create(&thread, NULL, floor_flush, NULL);
	return err;
}

/* The driver calls this by its name. */
int InitializeInjection(void);

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	if (floor_open() || floor_records() || (LAUNCHES_CALL && floor_calls()))
		fprintf(stderr, "gpu-floor: CUPTI refuses: no floor\n");
	else
		atexit(floor_end);
	return 1;
}
