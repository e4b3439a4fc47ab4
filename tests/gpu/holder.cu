/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * holder.cu - a program that uses CUPTI itself, as PyTorch's profiler does: it
 * subscribes before CUDA starts, and counts its own launches.  Whoever comes
 * later may get nothing, and has to leave it alone.
 */
#include <cupti.h>
#include <dlfcn.h>

#include "gpu.h"

SPIN_KERNEL(spin_held)

static int launches_seen;

static void CUPTIAPI on_call(void *unused, CUpti_CallbackDomain domain,
			     CUpti_CallbackId id, const void *data)
{
	const CUpti_CallbackData *call = (const CUpti_CallbackData *)data;

	(void)unused;
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API &&
	    id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 &&
	    call->callbackSite == CUPTI_API_ENTER)
		launches_seen++;
}

static void *cupti_function(const char *name)
{
	static void *lib;
	void *function;

	if (!lib)
		lib = dlopen("libcupti.so", RTLD_NOW);
	if (!lib)
		lib = dlopen("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
			     RTLD_NOW);
	if (!lib)
		skip_this("needs libcupti.so");
	function = dlsym(lib, name);
	if (!function)
		broken(name, "is not in libcupti.so");
	return function;
}

#define CUPTI(name, ...) ((decltype(&name))cupti_function(#name))(__VA_ARGS__)

int main(void)
{
	CUpti_SubscriberHandle subscriber;
	struct tally *t;

	if (CUPTI(cuptiSubscribe, &subscriber, on_call, NULL) !=
	    CUPTI_SUCCESS) {
		need_gpus(1);
		broken("cuptiSubscribe", "failed");
	}
	CUPTI(cuptiEnableDomain, 1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
	need_gpus(1);
	t = tally_new("spin_held", "main");
	for (int i = 0; i < 50; i++)
		SPIN(spin_held, MS / 4, t, 0);
	TRY(cudaDeviceSynchronize());
	printf("launched %llu, saw %d\n", t->launches, launches_seen);
	return 0;
}
