/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c - regions for calls of CUDA. */
#include "cuda/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gpu-calls.h"
#include "collect/gpu/gpu-slices.h"
#include "collect/gpu/gpu.h"
#include "cuda/activity-records.h"
#include "cuda/capture.h"
#include "cuda/hardware-counters.h"
#include "cuda/device.h"
#include "cuda/memory.h"
#include "cuda/pc-samples.h"

enum {
	IDS_MOST = 2048, /* of one domain: 13.0 has 530 and 807 */
	ERRORS_MOST = 1024,
	NOT_READY = 600,       /* an answer, no failure */
	FRAMES_MOST = 1 << 20, /* bytes of stack from a function to us */
};

enum word {
	WORD_NONE,
	WORD_START,
	WORD_STOP,
	WORD_RESET, /* what was not told is lost */
	WORD_UNIFIED,
};

/* A function of CUDA, by its number. */
struct cuda_function {
	struct region_name name;
	enum word word;  /* what a call of it says to a profiler */
	bool other_code; /* what it returns is not that it failed */
	enum gpu_waits waits;
};

/* For the life of the process: what was called, and how it failed. */
static struct cuda_function functions[2][IDS_MOST];

/* Of the driver's functions those with a word: a few lines of a cache for all.
 */
static uint64_t driver_words[IDS_MOST / 64];
static struct region_name errors[2][ERRORS_MOST];

/* No more callbacks: the process forked, or ends. */
static bool _Atomic ended, late;

/* Each call is to be told of, with its times; set before the first one. */
static bool traced;

void calls_end(void)
{
	ended = true;
}

void calls_late(bool is_late)
{
	late = is_late;
}

/* Without what tells versions and kinds of default streams apart. */
static char *plain_call_name(const char *name)
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
static void set_name_text(struct region_name *name, char *text, uint32_t class)
{
	const char *none = NULL;

	__atomic_store_n(&name->class, class, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(&name->text, &none, text, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		free(text);
}

static struct cuda_function *cuda_function_of(CUpti_CallbackDomain domain,
					      CUpti_CallbackId id)
{
	if (id >= IDS_MOST)
		return NULL;
	return &functions[domain == CUPTI_CB_DOMAIN_RUNTIME_API][id];
}

/* Which work an event is of is not known. */
static void set_call_waits(struct cuda_function *f)
{
	const char *name = f->name.text;

	if (!name || strstr(name, "Event"))
		return;
	if (gpu_call_waits(name))
		f->waits = strstr(name, "Stream") ? GPU_WAITS_STREAM
						  : GPU_WAITS_DEVICE;
	else if (gpu_call_may_wait(name))
		f->waits = GPU_WAITS_PERHAPS;
}

static struct region_name *region_name_of(struct cuda_function *f,
					  const char *function)
{
	if (!f || !function)
		return NULL;
	if (!__atomic_load_n(&f->name.text, __ATOMIC_ACQUIRE)) {
		set_name_text(&f->name, plain_call_name(function),
			      LIVE_NAME_GPU_CALL);
		set_call_waits(f);
	}
	return f->name.text ? &f->name : NULL;
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
	set_name_text(name, full, LIVE_NAME_GPU_ERROR);
	return name;
}

/* 0: it did not fail, as far as is known. */
static int call_error(const struct cuda_function *f,
		      const CUpti_CallbackData *data)
{
	const int *code = data->functionReturnValue;

	if (!code || *code == 0 || *code == NOT_READY || (f && f->other_code))
		return 0;
	return *code;
}

static bool is_not_ready(const CUpti_CallbackData *data)
{
	const int *code = data->functionReturnValue;

	return code && *code == NOT_READY;
}

/*
 * Calls that say something to a profiler; and those that return something else
 * than whether they failed, or the error of an earlier call.
 */
static const struct {
	CUpti_CallbackDomain domain;
	CUpti_CallbackId id;
	enum word word;
	bool other_code;
} special[] = {
#define RUNTIME(name, ...)                                                     \
	{                                                                      \
		CUPTI_CB_DOMAIN_RUNTIME_API,                                   \
			CUPTI_RUNTIME_TRACE_CBID_cuda##name, __VA_ARGS__       \
	}
#define DRIVER(name, ...)                                                      \
	{                                                                      \
		CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cu##name,  \
			__VA_ARGS__                                            \
	}
	RUNTIME(ProfilerStart_v4000, WORD_START),
	RUNTIME(ProfilerStop_v4000, WORD_STOP),
	RUNTIME(DeviceReset_v3020, WORD_RESET),
	RUNTIME(MallocManaged_v6000, WORD_UNIFIED),
	RUNTIME(MemPrefetchAsync_v8000, WORD_UNIFIED),
	RUNTIME(MemPrefetchAsync_ptsz_v8000, WORD_UNIFIED),
	RUNTIME(GetLastError_v3020, WORD_NONE, true),
	RUNTIME(PeekAtLastError_v3020, WORD_NONE, true),
	RUNTIME(GetErrorString_v3020, WORD_NONE, true),
	RUNTIME(GetErrorName_v6050, WORD_NONE, true),
	RUNTIME(CreateChannelDesc_v3020, WORD_NONE, true),
	DRIVER(ProfilerStart, WORD_START),
	DRIVER(ProfilerStop, WORD_STOP),
	DRIVER(CtxDestroy_v2, WORD_RESET),
	DRIVER(DevicePrimaryCtxReset_v2, WORD_RESET),
	DRIVER(MemAllocManaged, WORD_UNIFIED),
	DRIVER(MemPrefetchAsync, WORD_UNIFIED),
	DRIVER(MemPrefetchAsync_ptsz, WORD_UNIFIED),
#undef RUNTIME
#undef DRIVER
};

static void mark_special(void)
{
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
		struct cuda_function *f =
			cuda_function_of(special[i].domain, special[i].id);

		if (!f)
			continue;
		f->word = special[i].word;
		if (f->word != WORD_NONE &&
		    special[i].domain == CUPTI_CB_DOMAIN_DRIVER_API)
			driver_words[special[i].id / 64] |=
				(uint64_t)1 << special[i].id % 64;
		f->other_code = special[i].other_code;
	}
}

static void prepare_special_call(enum word word, struct gpu_call *open)
{
	if (word == WORD_RESET)
		cupti.ActivityFlushAll(0);
	else if (word == WORD_UNIFIED)
		open->unified = true;
	else if (word != WORD_NONE)
		copse_gpu_profiler(word == WORD_START);
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

/* In a domain no two calls have the same id. */
static uint64_t callback_key(CUpti_CallbackDomain domain,
			     const CUpti_CallbackData *data)
{
	return (uint64_t)domain << 32 | data->correlationId;
}

/*
 * Each call of the runtime makes some of the driver, which are called back for
 * because a program may make them itself.  They have the runtime's id, and cost
 * as little as they can.
 */
static uint64_t key_of_parts(CUpti_CallbackDomain domain,
			     const CUpti_CallbackData *data)
{
	if (domain != CUPTI_CB_DOMAIN_RUNTIME_API || capture_wanted())
		return 0;
	return callback_key(CUPTI_CB_DOMAIN_DRIVER_API, data);
}

static void enter_gpu_call(struct gpu_call *open, CUpti_CallbackDomain domain,
			   struct cuda_function *f,
			   const CUpti_CallbackData *data,
			   const struct region_frame *caller)
{
	struct region_name *name = region_name_of(f, data->functionName);
	struct region *region =
		name ? copse_region_beyond(name, caller,
					   place_inside(data, caller))
		     : NULL;

	if (region) {
		open->region = region;
		open->key = callback_key(domain, data);
		open->parts = key_of_parts(domain, data);
		copse_gpu_note_of(region, data->correlationId);
	} else if (!open->region ||
		   (uint32_t)open->key != data->correlationId) {
		copse_gpu_note(data->correlationId);
	}
}

/* Until the driver has told; a few times in vain are enough. */
static void learn_names(struct gpu_call *open)
{
	static int tries = 8;

	if (__atomic_load_n(&tries, __ATOMIC_RELAXED) <= 0 ||
	    __atomic_fetch_sub(&tries, 1, __ATOMIC_RELAXED) <= 0)
		return;
	open->own = true;
	if (device_names_report())
		__atomic_store_n(&tries, 0, __ATOMIC_RELAXED);
	open->own = false;
}

static void leave_gpu_call(struct gpu_call *open, CUpti_CallbackDomain domain,
			   const struct cuda_function *f,
			   const CUpti_CallbackData *data)
{
	static const struct region_values none = { .root = LIVE_NO_ROOT };
	struct region *region = open->region;
	struct region_name *error = NULL;
	int code;

	if (!region || open->key != callback_key(domain, data))
		return;
	region_stop(region);
	open->region = NULL;
	open->parts = 0;
	region->in_vain = is_not_ready(data);
	code = call_error(f, data);
	if (code)
		error = error_of(domain, code);
	copse_region_leave(region, &none);
	if (traced)
		copse_gpu_slice_call(region, (uint32_t)open->key);
	if (error)
		copse_gpu_failed(region, error);
	else
		learn_names(open);
	if (f && f->waits && !error &&
	    region->end_ns - region->start_ns >= GPU_BRIEF_NS)
		copse_gpu_awaited(region, f->waits);
}

/* For a capture: of the program's call; 0: one inside another. */
static uint64_t site_of(const struct gpu_call *open,
			CUpti_CallbackDomain domain,
			const CUpti_CallbackData *data)
{
	if (!open->region || open->key != callback_key(domain, data))
		return 0;
	return open->region->pc;
}

static uint64_t node_id(CUgraphNode node)
{
	uint64_t id = 0;

	return node && !cupti.GetGraphNodeId(node, &id) ? id : 0;
}

static void node_callback(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
	const CUpti_GraphData *graph = data->resourceDescriptor;

	if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
		records_choose_graphs();
		if (copse_gpu_call.region)
			copse_gpu_captured(copse_gpu_call.region);
		if (copse_gpu_nodes())
			copse_gpu_origin(node_id(graph->node));
	} else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED &&
		   copse_gpu_nodes()) {
		copse_gpu_origin_copy(node_id(graph->node),
				      node_id(graph->originalNode));
	}
}

static __attribute__((noinline)) void
resource_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		  const void *data)
{
	if (ended || domain != CUPTI_CB_DOMAIN_RESOURCE)
		return;
	memory_resource(id, data);
	pc_samples_resource(id, data);
	hardware_counters_resource(id, data);
	node_callback(id, data);
}

static bool is_part(const struct gpu_call *open, CUpti_CallbackDomain domain,
		    CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	return open->parts == callback_key(domain, data) && id < IDS_MOST &&
	       !(driver_words[id / 64] >> id % 64 & 1);
}

/* Apart, so that the others need no room on the stack. */
static __attribute__((noinline)) void
enter_outermost(struct gpu_call *open, CUpti_CallbackDomain domain,
		CUpti_CallbackId id, const CUpti_CallbackData *call,
		const struct region_frame *caller)
{
	struct cuda_function *f = cuda_function_of(domain, id);

	if (ended || open->own) {
		if (late)
			memory_late_call(domain, id, call);
		return;
	}
	if (call->callbackSite == CUPTI_API_ENTER) {
		prepare_special_call(f ? f->word : WORD_NONE, open);
		enter_gpu_call(open, domain, f, call, caller);
		if (capture_wanted())
			copse_capture_call(domain, id, call,
					   site_of(open, domain, call));
		return;
	}
	if (capture_wanted())
		copse_capture_call(domain, id, call,
				   site_of(open, domain, call));
	leave_gpu_call(open, domain, f, call);
	if (open->unified)
		memory_unified();
	open->unified = false;
}

void calls_callback(void *unused, CUpti_CallbackDomain domain,
		    CUpti_CallbackId id, const void *data)
{
	struct gpu_call *open = &copse_gpu_call;

	(void)unused;
	if (domain != CUPTI_CB_DOMAIN_RUNTIME_API &&
	    domain != CUPTI_CB_DOMAIN_DRIVER_API) {
		resource_callback(domain, id, data);
	} else if (!is_part(open, domain, id, data)) {
		struct region_frame caller = region_frame();

		enter_outermost(open, domain, id, data, &caller);
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

static bool begins_with_any(const char *name, const char *const begin[],
			    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (begins_with(name, begin[i]))
			return true;
	return false;
}

#define BEGINS(name, table)                                                    \
	begins_with_any(name, table, sizeof(table) / sizeof((table)[0]))

static bool is_call_that_begins_work(const char *name)
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
 * Frameworks, and the runtime inside each launch, call these several times for
 * each.  They take some 50 ns, less than what it costs to find out, and begin
 * nothing.
 */
static bool is_query_call(const char *name)
{
	static const char *const begin[] = {
		"__cudaPushCallConfiguration",
		"__cudaPopCallConfiguration",
		"cudaDeviceGetAttribute",
		"cudaFuncGet",
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
		"cuFuncGet",
		"cuGetProcAddress",
		"cuKernelGet",
		"cuOccupancyMax",
		"cuPointerGetAttribute",
		"cuStreamGetCaptureInfo",
		"cuStreamIsCapturing",
	};

	return BEGINS(name, begin);
}

static bool is_wished_call(enum gpu_wish wish, const char *name)
{
	switch (wish) {
	case GPU_WISH_WORK:
		return is_call_that_begins_work(name);
	case GPU_WISH_CALLS:
		return !is_query_call(name);
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
		    is_wished_call(wish, name))
			cupti.EnableCallback(1, subscriber, domain, id);
	}
}

/* Graphs are recorded by what is loaded when the first node is made. */
static CUptiResult enable_nodes(CUpti_SubscriberHandle subscriber)
{
	static const CUpti_CallbackId ids[] = {
		CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
		CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
	};
	CUptiResult err = CUPTI_SUCCESS;

	for (size_t i = 0; i < 2 && !err; i++)
		err = cupti.EnableCallback(1, subscriber,
					   CUPTI_CB_DOMAIN_RESOURCE, ids[i]);
	return err;
}

CUptiResult calls_begin(CUpti_SubscriberHandle subscriber, enum gpu_wish wish)
{
	static const CUpti_CallbackDomain domains[] = {
		CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API
	};
	CUptiResult err = CUPTI_SUCCESS;

	mark_special();
	traced = copse_gpu_traced();
	for (size_t i = 0; i < 2 && !err; i++) {
		if (wish == GPU_WISH_ALL)
			err = cupti.EnableDomain(1, subscriber, domains[i]);
		else
			enable_some(subscriber, domains[i], wish);
	}
	return err ? err : enable_nodes(subscriber);
}
