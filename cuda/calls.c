/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c - regions for calls of CUDA. */
#include "cuda/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/gpu.h"
#include "cuda/capture.h"
#include "cuda/device-names.h"
#include "cuda/limits.h"
#include "cuda/memory.h"

enum {
	IDS_MOST = 2048, /* of one domain: 13.0 has 530 and 807 */
	ERRORS_MOST = 1024,
	NOT_READY = 600,       /* an answer, no failure */
	FRAMES_MOST = 1 << 20, /* bytes of stack from a function to us */
};

/* For the life of the process: what was called, and how it failed. */
static struct region_name names[2][IDS_MOST];
static struct region_name errors[2][ERRORS_MOST];

/* The thread's call that is being measured, until it returns. */
static __thread struct {
	struct region *region;
	CUpti_CallbackDomain domain;
	uint32_t id;
	bool unified; /* it begins to use unified memory */
	bool own;     /* the adapter calls the driver itself */
} open_call;

/* No more callbacks: the process forked, or ends. */
static bool _Atomic ended, late;

void calls_end(void)
{
	ended = true;
}

void calls_late(bool is_late)
{
	late = is_late;
}

/* Without what tells versions and kinds of default streams apart. */
static char *plain_name(const char *name)
{
	static const char *const ends[] = { "_ptsz", "_ptds" };
	char *copy = strdup(name), *at;

	for (size_t i = 0; copy && i < sizeof(ends) / sizeof(*ends); i++) {
		at = strstr(copy, ends[i]);
		if (at && !at[strlen(ends[i])])
			*at = 0;
	}
	at = copy ? strrchr(copy, '_') : NULL;
	if (at && at[1] == 'v' && at[2] &&
	    !at[2 + strspn(at + 2, "0123456789")])
		*at = 0;
	return copy;
}

/* Threads that come here together agree on one text. */
static void set_text(struct region_name *name, char *text, uint32_t class)
{
	const char *none = NULL;

	__atomic_store_n(&name->class, class, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(&name->text, &none, text, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		free(text);
}

static struct region_name *name_of(CUpti_CallbackDomain domain,
				   CUpti_CallbackId id, const char *function)
{
	struct region_name *name;

	if (id >= IDS_MOST || !function)
		return NULL;
	name = &names[domain == CUPTI_CB_DOMAIN_RUNTIME_API][id];
	if (!__atomic_load_n(&name->text, __ATOMIC_ACQUIRE))
		set_text(name, plain_name(function), LIVE_NAME_GPU_CALL);
	return name->text ? name : NULL;
}

static struct region_name *error_of(CUpti_CallbackDomain domain, int code)
{
	struct region_name *name =
		&errors[domain == CUPTI_CB_DOMAIN_RUNTIME_API]
		       [code > 0 && code < ERRORS_MOST ? code : 0];
	const char *text;
	char *full;

	if (__atomic_load_n(&name->text, __ATOMIC_ACQUIRE))
		return name;
	text = cupti_error_name(domain, code);
	if (asprintf(&full, "[error %d%s%s]", code, text ? " " : "",
		     text ? text : "") < 0)
		return NULL;
	set_text(name, full, LIVE_NAME_GPU_ERROR);
	return name;
}

/* Those that return something else, or the error of an earlier call. */
static bool tells_failure(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	if (domain != CUPTI_CB_DOMAIN_RUNTIME_API)
		return true;
	switch (id) {
	case CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020:
	case CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020:
	case CUPTI_RUNTIME_TRACE_CBID_cudaGetErrorString_v3020:
	case CUPTI_RUNTIME_TRACE_CBID_cudaGetErrorName_v6050:
	case CUPTI_RUNTIME_TRACE_CBID_cudaCreateChannelDesc_v3020:
		return false;
	default:
		return true;
	}
}

/* 0: it did not fail, as far as is known. */
static int failure(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		   const CUpti_CallbackData *data)
{
	const int *code = data->functionReturnValue;

	if (!code || !tells_failure(domain, id) || *code == NOT_READY)
		return 0;
	return *code;
}

enum word {
	WORD_NONE,
	WORD_START,
	WORD_STOP,
	WORD_RESET, /* what was not told is lost */
	WORD_UNIFIED,
};

/* What a call says to a profiler. */
static enum word word_of(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
		switch (id) {
		case CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000:
			return WORD_START;
		case CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000:
			return WORD_STOP;
		case CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020:
			return WORD_RESET;
		case CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000:
		case CUPTI_RUNTIME_TRACE_CBID_cudaMemPrefetchAsync_v8000:
		case CUPTI_RUNTIME_TRACE_CBID_cudaMemPrefetchAsync_ptsz_v8000:
			return WORD_UNIFIED;
		}
		return WORD_NONE;
	}
	switch (id) {
	case CUPTI_DRIVER_TRACE_CBID_cuProfilerStart:
		return WORD_START;
	case CUPTI_DRIVER_TRACE_CBID_cuProfilerStop:
		return WORD_STOP;
	case CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2:
	case CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2:
		return WORD_RESET;
	case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged:
	case CUPTI_DRIVER_TRACE_CBID_cuMemPrefetchAsync:
	case CUPTI_DRIVER_TRACE_CBID_cuMemPrefetchAsync_ptsz:
		return WORD_UNIFIED;
	}
	return WORD_NONE;
}

static void obey(enum word word)
{
	if (word == WORD_RESET)
		cupti.ActivityFlushAll(0);
	else if (word == WORD_UNIFIED)
		open_call.unified = true;
	else if (word != WORD_NONE)
		copse_mpi_control(word == WORD_START);
}

/*
 * A place in the frame of the function that the program called: its parameters
 * lie there; of a function without any, what it returns or what it keeps for
 * the callbacks does.
 */
static uintptr_t place_inside(const CUpti_CallbackData *data,
			      const struct region_frame *caller)
{
	const void *const places[] = {
		data->functionParams,
		data->functionReturnValue,
		data->correlationData,
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if ((uintptr_t)places[i] - caller->sp < FRAMES_MOST)
			return (uintptr_t)places[i];
	return 0;
}

static void enter(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		  const CUpti_CallbackData *data,
		  const struct region_frame *caller)
{
	struct region_name *name = name_of(domain, id, data->functionName);
	struct region *region =
		name ? copse_region_beyond(name, caller,
					   place_inside(data, caller))
		     : NULL;

	if (region) {
		open_call.region = region;
		open_call.domain = domain;
		open_call.id = data->correlationId;
		copse_gpu_note(data->correlationId);
	} else if (!open_call.region || open_call.id != data->correlationId) {
		copse_gpu_note(data->correlationId);
	}
}

/* Until the driver has told; a few times in vain are enough. */
static void learn_names(void)
{
	static int tries = 8;

	if (__atomic_load_n(&tries, __ATOMIC_RELAXED) <= 0 ||
	    __atomic_fetch_sub(&tries, 1, __ATOMIC_RELAXED) <= 0)
		return;
	open_call.own = true;
	if (device_names_tell())
		__atomic_store_n(&tries, 0, __ATOMIC_RELAXED);
	open_call.own = false;
}

static void leave(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		  const CUpti_CallbackData *data)
{
	struct region *region = open_call.region;
	struct region_values none = { .root = LIVE_NO_ROOT };
	struct region_name *error = NULL;
	int code;

	if (!region || open_call.domain != domain ||
	    open_call.id != data->correlationId)
		return;
	region_stop(region);
	open_call.region = NULL;
	code = failure(domain, id, data);
	if (code)
		error = error_of(domain, code);
	copse_region_leave(region, &none);
	if (error)
		copse_gpu_failed(region, error);
	else
		learn_names();
}

/* For a capture: of the program's call; 0: one inside another. */
static uint64_t site_of(CUpti_CallbackDomain domain,
			const CUpti_CallbackData *data)
{
	if (!open_call.region || open_call.domain != domain ||
	    open_call.id != data->correlationId)
		return 0;
	return open_call.region->pc;
}

/* What the adapter itself asks the driver. */
static bool is_ours(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	return domain == CUPTI_CB_DOMAIN_DRIVER_API &&
	       id == CUPTI_DRIVER_TRACE_CBID_cuDeviceGetAttribute &&
	       limits_asking();
}

static uint64_t node_id(CUgraphNode node)
{
	uint64_t id = 0;

	return node && !cupti.GetGraphNodeId(node, &id) ? id : 0;
}

static void node_callback(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
	const CUpti_GraphData *graph = data->resourceDescriptor;

	if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED)
		copse_gpu_origin(node_id(graph->node));
	else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)
		copse_gpu_origin_copy(node_id(graph->node),
				      node_id(graph->originalNode));
}

void calls_callback(void *unused, CUpti_CallbackDomain domain,
		    CUpti_CallbackId id, const void *data)
{
	struct region_frame caller = region_frame();
	const CUpti_CallbackData *call = data;

	(void)unused;
	if (domain != CUPTI_CB_DOMAIN_RUNTIME_API &&
	    domain != CUPTI_CB_DOMAIN_DRIVER_API) {
		if (!ended && domain == CUPTI_CB_DOMAIN_RESOURCE) {
			memory_resource(id, data);
			node_callback(id, data);
		}
		return;
	}
	if (ended || open_call.own || is_ours(domain, id)) {
		if (late)
			memory_late_call(domain, id, call);
		return;
	}
	if (call->callbackSite == CUPTI_API_ENTER) {
		obey(word_of(domain, id));
		enter(domain, id, call, &caller);
		capture_call(domain, id, call, site_of(domain, call));
	} else {
		capture_call(domain, id, call, site_of(domain, call));
		leave(domain, id, call);
		if (open_call.unified)
			memory_unified();
		open_call.unified = false;
	}
}

/* One that ends in '_' is a whole name: a version may follow. */
static bool begins_with(const char *name, const char *begin)
{
	size_t size = strlen(begin);

	if (!strncmp(name, begin, size))
		return true;
	return begin[size - 1] == '_' && !strncmp(name, begin, size - 1) &&
	       !name[size - 1];
}

static bool begins(const char *name, const char *const begin[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (begins_with(name, begin[i]))
			return true;
	return false;
}

#define BEGINS(name, table)                                                    \
	begins(name, table, sizeof(table) / sizeof((table)[0]))

static bool begins_work(const char *name)
{
	static const char *const begin[] = {
		"cudaLaunch",
		"cudaMemcpy",
		"cudaMemset",
		"cudaGraphLaunch",
		"cudaProfiler",
		"cudaDeviceReset",
		"cuLaunch",
		"cuMemcpy",
		"cuMemset",
		"cuGraphLaunch",
		"cuProfiler",
		"cuCtxDestroy",
		"cudaMemPrefetch",
		"cuMemPrefetch",
		"cuDevicePrimaryCtxReset",
		"cudaMalloc",
		"cudaFree",
		"cudaHostAlloc",
		"cuMemAlloc",
		"cuMemFree",
		"cuMemHostAlloc",
		"cuArrayCreate",
		"cuArray3DCreate",
		"cuArrayDestroy",
		"cuMipmappedArray",
		"cudaHostRegister",
		"cudaHostUnregister",
		"cuMemHostRegister",
		"cuMemHostUnregister",
	};

	return BEGINS(name, begin) || strstr(name, "Synchronize");
}

/*
 * Frameworks call these several times for each launch.  They take some 50 ns,
 * less than what it costs to find out, and begin nothing.
 */
static bool only_asks(const char *name)
{
	static const char *const begin[] = {
		"__cudaPushCallConfiguration",
		"__cudaPopCallConfiguration",
		"cudaDeviceGetAttribute",
		"cudaGetDevice_",
		"cudaGetError",
		"cudaGetLastError",
		"cudaOccupancyMax",
		"cudaPeekAtLastError",
		"cudaPointerGetAttributes",
		"cudaStreamGetCaptureInfo",
		"cudaStreamIsCapturing",
		"cuCtxGetCurrent",
		"cuCtxGetDevice",
		"cuCtxPopCurrent",
		"cuCtxPushCurrent",
		"cuCtxSetCurrent",
		"cuDeviceGetAttribute",
		"cuDevicePrimaryCtxGetState",
		"cuGetProcAddress",
		"cuOccupancyMax",
		"cuPointerGetAttribute",
		"cuStreamGetCaptureInfo",
		"cuStreamIsCapturing",
	};

	return BEGINS(name, begin);
}

static bool is_wished(enum gpu_wish wish, const char *name)
{
	switch (wish) {
	case GPU_WISH_WORK:
		return begins_work(name);
	case GPU_WISH_CALLS:
		return !only_asks(name);
	default:
		return true;
	}
}

static void enable_some(CUpti_SubscriberHandle subscriber,
			CUpti_CallbackDomain domain, enum gpu_wish wish)
{
	for (CUpti_CallbackId id = 1; id < IDS_MOST; id++) {
		const char *name = NULL;

		if (!cupti.GetCallbackName(domain, id, &name) && name &&
		    is_wished(wish, name))
			cupti.EnableCallback(1, subscriber, domain, id);
	}
}

static CUptiResult enable_nodes(CUpti_SubscriberHandle subscriber)
{
	static const CUpti_CallbackId ids[] = {
		CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
		CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
	};
	CUptiResult err = CUPTI_SUCCESS;

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids) && !err; i++)
		err = cupti.EnableCallback(1, subscriber,
					   CUPTI_CB_DOMAIN_RESOURCE, ids[i]);
	return err;
}

CUptiResult calls_begin(CUpti_SubscriberHandle subscriber, enum gpu_wish wish,
			bool nodes)
{
	static const CUpti_CallbackDomain domains[] = {
		CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API
	};
	CUptiResult err = CUPTI_SUCCESS;

	for (size_t i = 0; i < 2 && !err; i++) {
		if (wish == GPU_WISH_ALL)
			err = cupti.EnableDomain(1, subscriber, domains[i]);
		else
			enable_some(subscriber, domains[i], wish);
	}
	return err || !nodes ? err : enable_nodes(subscriber);
}
