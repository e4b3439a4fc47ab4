/* SPDX-License-Identifier: BSD-3-Clause */
/* made-ranges.c - ranges of NVTX around known work; see made.c. */
#include "made-cuda.h"
#include "made-ranges.h"

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *end_it(void *id)
{
	nvtxRangeEnd(*(nvtxRangeId_t *)id);
	return NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/*
 * Two that overlap, for 20 and 30 ms or more; the first ends on another thread.
 * Prints how long each was at least and at most: from the clock around calls.
 */
static void across(void)
{
	double at[8] = { now() };
	nvtxRangeId_t a = nvtxRangeStartA("across a"), b;
	pthread_t thread;

	at[1] = now();
	usleep(10000);
	at[2] = now();
	b = nvtxRangeStartW(L"across b");
	at[3] = now();
	usleep(10000);
	at[4] = now();
	pthread_create(&thread, NULL, end_it, &a);
	pthread_join(thread, NULL);
	at[5] = now();
	usleep(20000);
	at[6] = now();
	nvtxRangeEnd(b);
	at[7] = now();
	nvtxRangeEnd(b);
	printf("across a %.6f %.6f\n", at[4] - at[1], at[5] - at[0]);
	printf("across b %.6f %.6f\n", at[6] - at[3], at[7] - at[2]);
}

/* What nvToolsExtPayload.h makes of nvtxRangePopPayload(), where it is newer.
 */
static void pop_with_data(nvtxDomainHandle_t domain)
{
	enum {
		PAYLOAD = 2,
		POP = 4,
		SLOTS = 63
	};
	intptr_t slots[SLOTS] = { 0 };
	struct {
		size_t number, slot_count;
		intptr_t *slots;
	} segment = { 0, SLOTS, slots };
	struct {
		uint16_t nvtx, size, module, compatible;
		size_t segment_count;
		void *segments, *export, *info;
	} extension = { NVTX_VERSION,
			sizeof(extension),
			PAYLOAD,
			0x104,
			1,
			&segment,
			NULL,
			NULL };
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *tool = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(void *) = NULL;

	if (tool)
		*(void **)&init =
			dlsym(tool, "InitializeInjectionNvtxExtension");
	if (init && init(&extension) && slots[POP])
		((int (*)(void *, const void *, size_t))slots[POP])(domain, "",
								    0);
}

void ranges(void (*work)(void))
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("physics");
	nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "inner");
	nvtxEventAttributes_t event = {
		.version = NVTX_VERSION,
		.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
		.messageType = NVTX_MESSAGE_TYPE_REGISTERED,
		.message.registered = text,
	};

	nvtxRangePushA("outer");
	work();
	for (int i = 0; i < 2; i++) {
		nvtxDomainRangePushEx(domain, &event);
		work();
		if (i)
			pop_with_data(domain);
		else
			nvtxDomainRangePop(domain);
	}
	nvtxRangePop();
	nvtxRangePushW(L"wide");
	work();
	nvtxRangePop();
	work();
	across();
}

enum {
	MS = 1000000
};

static void *backward(void *unused)
{
	(void)unused;
	made_cudaLaunchKernel("_Z4betaPf", 1, MS);
	return NULL;
}

/*
 * In "forward": a kernel of 2 ms, in one step of 60, and one of NCCL of 4 ms;
 * then a kernel of 1 ms behind the first, by a thread that has no ranges.  3 ms
 * of nothing follow.
 */
static void step(uint64_t ns)
{
	pthread_t thread;

	nvtxRangePushA("forward");
	made_cudaLaunchKernel("_Z5alphaPfi", 1, ns);
	made_cudaLaunchKernel("_Z28ncclDevKernel_AllReduce_Sumv", 2, 4 * MS);
	nvtxRangePop();
	pthread_create(&thread, NULL, backward, NULL);
	pthread_join(thread, NULL);
	made_cudaDeviceSynchronize(ns > 4 * MS ? ns + 2 * MS : 5 * MS);
	usleep(3000);
}

void ranges_steps(int count)
{
	char name[32];

	for (int i = 0; i < count; i++) {
		struct timespec begin, end;

		snprintf(name, sizeof(name), "Train step %d", i);
		clock_gettime(CLOCK_MONOTONIC, &begin);
		nvtxRangePushA(name);
		step((i == 17 ? 60 : 2) * MS);
		nvtxRangePop();
		clock_gettime(CLOCK_MONOTONIC, &end);
		printf("range %d %lld%09ld %lld%09ld\n", i,
		       (long long)begin.tv_sec, begin.tv_nsec,
		       (long long)end.tv_sec, end.tv_nsec);
	}
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "layer %d", i % 3);
		nvtxRangePushA(name);
		made_cudaLaunchKernel("_Z5alphaPfi", 1, MS);
		nvtxRangePop();
	}
	nvtxRangePushA("conv2d");
	made_cudaLaunchKernel("_Z5alphaPfi", 1, MS);
	made_cudaDeviceSynchronize(10 * MS);
	nvtxRangePop();
}

void ranges_many(int count)
{
	char name[32];

	made_cudaLaunchKernel("_Z5alphaPfi", 1, 1000);
	nvtxRangePushA("outer");
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "item %d", i);
		nvtxRangePushA(name);
		if (i % 10 == 0)
			made_cudaLaunchKernel("_Z5alphaPfi", 1, 1000);
		nvtxRangePop();
	}
	nvtxRangePop();
}

static void part(void (*between)(void))
{
	nvtxRangePushA("part");
	usleep(5000);
	if (between)
		between();
	usleep(5000);
	nvtxRangePop();
}

static double asked, begun;

static void go(void)
{
	asked = now();
	made_cudaProfilerStart();
	begun = now();
}

/* Between these it was measured, however the cores are shared. */
static void stop(void)
{
	double least = now() - begun;

	made_cudaProfilerStop();
	printf("measured %.6f %.6f\n", least, now() - asked);
}

void ranges_paused(void)
{
	made_cudaProfilerStart(); /* what is made once takes its time */
	made_cudaProfilerStop();
	part(NULL);
	part(go);
	part(NULL);
	part(stop);
	part(NULL);
}
