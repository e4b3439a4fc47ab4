/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-tool.c - a program of the made CUDA that profiles itself by CUPTI, as
 * PyTorch does with Kineto: some time after its first launches it subscribes,
 * gives CUPTI its own buffers, and asks for records of kernels.  What it prints
 * is the same whoever had CUPTI before it.  `made-tool MODE`, or tool_main() of
 * a library (made-load.c).
 *
 * 20 alphas are launched before, 30 betas beside the tool, and 10 gammas that
 * it has not asked for when the program ends; in threads, more of each.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cupti.h>

#include "made-cuda.h"

#define NOINLINE __attribute__((noinline, noclone))

enum {
	BUFFER = 1 << 20,
	BUFFERS = 16,
	THREADS = 3,
	SLEEP_US = 1200000, /* the collector asks for records each second */
};

/* CUDA 12's headers do not have it. */
CUptiResult subscribe_v2(CUpti_SubscriberHandle *subscriber,
			 CUpti_CallbackFunc callback, void *data,
			 void *params) __asm__("cuptiSubscribe_v2");

int tool_main(int argc, char **argv);

static volatile int sink;

/* The tool: what it was told, on any thread. */
static struct {
	pthread_mutex_t lock;
	CUpti_SubscriberHandle subscriber;
	uint8_t *buffers[BUFFERS];
	size_t count, foreign, others, late;
	size_t alphas, betas, gammas, calls;
	size_t won, lost;
	uint64_t since; /* CLOCK_REALTIME */
} tool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void callback(void *data, CUpti_CallbackDomain domain,
		     CUpti_CallbackId id, const void *of)
{
	const CUpti_CallbackData *call = of;

	if (data == &tool && domain == CUPTI_CB_DOMAIN_RUNTIME_API &&
	    id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 &&
	    call->callbackSite == CUPTI_API_ENTER)
		__atomic_fetch_add(&tool.calls, 1, __ATOMIC_RELAXED);
}

static void request(uint8_t **buffer, size_t *size, size_t *most)
{
	pthread_mutex_lock(&tool.lock);
	*buffer = tool.count < BUFFERS ? malloc(BUFFER) : NULL;
	*size = *buffer ? BUFFER : 0;
	*most = 0;
	if (*buffer)
		tool.buffers[tool.count++] = *buffer;
	pthread_mutex_unlock(&tool.lock);
}

static bool is_ours(const uint8_t *buffer)
{
	for (size_t i = 0; i < tool.count; i++)
		if (tool.buffers[i] == buffer)
			return true;
	return false;
}

/* On the clock that CUPTI has by itself. */
static void take(const CUpti_ActivityKernel9 *k)
{
	if (k->start < tool.since || k->start > tool.since + 3600000000000u)
		tool.late++;
	if (strstr(k->name, "alpha"))
		tool.alphas++;
	else if (strstr(k->name, "beta"))
		tool.betas++;
	else
		tool.gammas++;
}

static void complete(CUcontext context, uint32_t stream, uint8_t *buffer,
		     size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;

	(void)context, (void)stream, (void)size;
	pthread_mutex_lock(&tool.lock);
	tool.foreign += !is_ours(buffer);
	while (!cuptiActivityGetNextRecord(buffer, valid, &record))
		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			take((const CUpti_ActivityKernel9 *)record);
		else
			tool.others++;
	pthread_mutex_unlock(&tool.lock);
}

/* As linked, or looked up in the library's own handle. */
static __typeof__(&cuptiSubscribe) subscribe_by = cuptiSubscribe;
static __typeof__(&cuptiActivityRegisterCallbacks) register_by =
	cuptiActivityRegisterCallbacks;

static void look_up(void)
{
	void *library = NULL;
	Dl_info info;

	if (dladdr((void *)made_asked, &info))
		library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	subscribe_by =
		(__typeof__(subscribe_by))dlsym(library, "cuptiSubscribe");
	register_by = (__typeof__(register_by))dlsym(
		library, "cuptiActivityRegisterCallbacks");
}

static CUptiResult subscribe(const char *mode)
{
	if (!strcmp(mode, "register"))
		return CUPTI_SUCCESS;
	if (!strcmp(mode, "v2"))
		return subscribe_v2(&tool.subscriber, callback, &tool, NULL);
	if (!strcmp(mode, "handle"))
		look_up();
	return subscribe_by(&tool.subscriber, callback, &tool);
}

NOINLINE static void tool_begin(const char *mode)
{
	CUptiResult err = subscribe(mode);

	printf("subscribe %d\n", (int)err);
	if (tool.subscriber)
		err = cuptiEnableCallback(
			1, tool.subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
			CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
	if (!err)
		err = register_by(request, complete);
	printf("register %d\n", (int)err);
	tool.since = now();
	if (!err)
		err = cuptiActivityEnable(
			CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	printf("enable %d\n", (int)err);
}

/* Nobody else asked for what is its own. */
NOINLINE static void tool_end(uint64_t asked, bool alone)
{
	printf("asked for by others: %s\n",
	       made_asked() == asked ? "never" : "yes");
	cuptiActivityFlushAll(0);
	pthread_mutex_lock(&tool.lock);
	if (alone)
		printf("alphas %zu betas %zu calls %zu\n", tool.alphas,
		       tool.betas, tool.calls);
	printf("enough %d foreign %zu others %zu at no time %zu\n",
	       tool.betas >= 30, tool.foreign, tool.others, tool.late);
	pthread_mutex_unlock(&tool.lock);
}

/* Behind all that runs at the end. */
__attribute__((destructor)) static void end(void)
{
	printf("gammas at the end %zu\n", tool.gammas);
	fflush(stdout);
}

static bool _Atomic ends;
static long _Atomic launched;

NOINLINE static void launch(const char *kernel, int count)
{
	for (int i = 0; i < count; i++)
		made_cudaLaunchKernel(kernel, 0, 1000000);
	sink++;
}

static void *launcher(void *unused)
{
	while (!ends) {
		launch("_Z4betaPf", 10);
		launched += 10;
		usleep(100);
	}
	return unused;
}

/* When it is sure that all of them are at it. */
static void start_launchers(pthread_t thread[THREADS])
{
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, launcher, NULL);
	while (launched < 1000)
		usleep(100);
}

/* Tools that come at once: one of them gets it. */
static void *racer(void *unused)
{
	CUpti_SubscriberHandle handle;
	CUptiResult err = cuptiSubscribe(&handle, callback, NULL);

	pthread_mutex_lock(&tool.lock);
	tool.won += err == CUPTI_SUCCESS;
	tool.lost += err == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	pthread_mutex_unlock(&tool.lock);
	return unused;
}

static void race(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, racer, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("won %zu lost %zu\n", tool.won, tool.lost);
}

/* 32 of 1 MiB; all are freed beside the tool, or behind it. */
NOINLINE static void allocate(uint64_t at[32])
{
	for (int i = 0; i < 32; i++)
		at[i] = made_cudaMalloc(1 << 20);
	sink++;
}

/* Long enough for samples, that there is a profile in any case. */
static void busy(void)
{
	clock_t until = clock() + CLOCKS_PER_SEC / 10;

	while (clock() < until)
		sink++;
}

NOINLINE static void before(void)
{
	launch("_Z5alphaPfi", 20);
	made_cudaDeviceSynchronize(20000000);
}

NOINLINE static void beside(bool alone)
{
	uint64_t asked = made_asked();

	launch("_Z4betaPf", 30);
	usleep(SLEEP_US);
	tool_end(asked, alone);
	launch("_Z5gammaPf", 10);
	sink++;
}

int tool_main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "subscribe";
	bool threads = !strcmp(mode, "threads");
	pthread_t thread[THREADS];
	uint64_t at[32];

	if (strcmp(mode, "first") != 0) {
		before();
		allocate(at);
	} else {
		busy();
	}
	if (!strcmp(mode, "handle"))
		busy(); /* what is not launched here leaves no profile */
	if (!strcmp(mode, "race")) {
		race();
		return 0;
	}
	if (threads)
		start_launchers(thread);
	tool_begin(mode);
	beside(!threads);
	ends = true;
	for (int i = 0; i < THREADS && threads; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 32 && strcmp(mode, "first") != 0; i++)
		made_cudaFree(at[i]);
	return 0;
}

#ifndef TOOL_LIBRARY
int main(int argc, char **argv)
{
	return tool_main(argc, argv);
}
#endif
