/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tool.cu - a program that is linked with CUPTI and profiles itself after a
 * while, as PyTorch does: what it launched before is a profiler's that had
 * CUPTI until then, what it launches later is its own, whole, and on CUPTI's own
 * clock.  With an argument another thread launches all the time, which nobody
 * has to know all of.
 */
#include <cupti.h>
#include <pthread.h>
#include <string.h>

#include "gpu.h"

#define BEFORE 20
#define BESIDE 30
#define BUFFER ((size_t)1 << 20)

SPIN_KERNEL(spin_before)
SPIN_KERNEL(spin_beside)
SPIN_KERNEL(spin_thread)

#define OK(call)                                                               \
	do {                                                                   \
		CUptiResult err_ = call;                                       \
		const char *text_ = "an error of CUPTI's";                     \
                                                                               \
		if (err_ != CUPTI_SUCCESS)                                     \
			cuptiGetResultString(err_, &text_);                    \
		if (err_ != CUPTI_SUCCESS)                                     \
			broken(#call, text_);                                  \
	} while (0)

/* What the tool was told; CUPTI calls from threads of its own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long foreign, befores, besides, untimely, calls;
static uint8_t *given[64];
static int given_count;
static uint64_t since; /* CLOCK_REALTIME */

static void CUPTIAPI on_call(void *unused, CUpti_CallbackDomain domain,
			     CUpti_CallbackId id, const void *data)
{
	const CUpti_CallbackData *call = (const CUpti_CallbackData *)data;

	(void)unused;
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API &&
	    id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 &&
	    call->callbackSite == CUPTI_API_ENTER && call->symbolName &&
	    strstr(call->symbolName, "spin_beside"))
		calls++;
}

static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *most)
{
	pthread_mutex_lock(&lock);
	*buffer = given_count < 64 ? (uint8_t *)aligned_alloc(8, BUFFER) : NULL;
	*size = *buffer ? BUFFER : 0;
	*most = 0;
	if (*buffer)
		given[given_count++] = *buffer;
	pthread_mutex_unlock(&lock);
}

static void take(const CUpti_ActivityKernel9 *k)
{
	befores += strstr(k->name, "spin_before") != NULL;
	if (!strstr(k->name, "spin_beside"))
		return;
	besides++;
	untimely += k->start < since || k->start > since + 3600000000000ULL;
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream,
			      uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;
	bool own = false;

	(void)context, (void)stream, (void)size;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < given_count; i++)
		own |= given[i] == buffer;
	foreign += !own;
	while (cuptiActivityGetNextRecord(buffer, valid, &record) ==
	       CUPTI_SUCCESS)
		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			take((const CUpti_ActivityKernel9 *)record);
	pthread_mutex_unlock(&lock);
}

static void begin_tool(void)
{
	static CUpti_SubscriberHandle handle;
	struct timespec now;

	OK(cuptiSubscribe(&handle, on_call, NULL));
	OK(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API,
			       CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
	OK(cuptiActivityRegisterCallbacks(request, complete));
	clock_gettime(CLOCK_REALTIME, &now);
	since = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

static STAYS void launch_before(struct tally *tally)
{
	for (int i = 0; i < BEFORE; i++)
		SPIN(spin_before, MS, tally, 0);
	TRY(cudaDeviceSynchronize());
}

static STAYS void launch_beside(struct tally *none)
{
	for (int i = 0; i < BESIDE; i++)
		SPIN(spin_beside, MS, none, 0);
	TRY(cudaDeviceSynchronize());
}

static volatile bool ends;

static void *launcher(void *spent)
{
	struct tally none = { NULL, NULL, 0, (unsigned long long *)spent };
	cudaStream_t stream;

	TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	while (!ends) {
		SPIN(spin_thread, MS / 100, &none, stream);
		if (none.launches % 100 == 0)
			TRY(cudaStreamSynchronize(stream));
	}
	TRY(cudaStreamSynchronize(stream));
	return NULL;
}

int main(int argc, char **)
{
	struct tally *before, none = { NULL, NULL, 0, NULL };
	pthread_t thread;

	need_gpus(1);
	before = tally_new("spin_before", "launch_before");
	launch_before(before);
	if (argc > 1)
		pthread_create(&thread, NULL, launcher, NULL);
	begin_tool();
	launch_beside(&none);
	ends = true;
	if (argc > 1)
		pthread_join(thread, NULL);
	OK(cuptiActivityFlushAll(1));
	printf("the tool saw %llu and %llu kernels, %llu calls\n", befores,
	       besides, calls);
	printf("buffers of others %llu, kernels at no time %llu\n", foreign,
	       untimely);
	tallies_say();
	return 0;
}
