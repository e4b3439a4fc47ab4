/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - CUPTI's records of memory become the collector's events. */
#include "cuda/memory.h"

#include <pthread.h>

#include "collect/gpu/gpu-allocs.h"
#include "collect/gpu/gpu-shapes.h"
#include "collect/gpu/gpu.h"
#include "cuda/device.h"
#include "cuda/activity-records.h"

enum {
	DEVICES = 64,
	BATCH = 64,
};

/* Mutable: the process's devices that have had a context, and their counters.
 */
static struct {
	pthread_mutex_t lock;
	uint32_t devices[DEVICES];
	uint32_t count, configured; /* of them, for unified memory */
	bool wanted, refused;
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Allocations */

static uint32_t memory_kind_of(const CUpti_ActivityMemory3 *m)
{
	switch (m->memoryKind) {
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
		if (m->isAsync || m->memoryPoolConfig.memoryPoolType)
			return LIVE_MEMORY_POOL;
		return LIVE_MEMORY_DEVICE;
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
		return LIVE_MEMORY_MANAGED;
	case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
		return LIVE_MEMORY_ARRAY;
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
		return LIVE_MEMORY_STATIC;
	case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
		return LIVE_MEMORY_PINNED;
	case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
		return LIVE_MEMORY_PAGEABLE;
	default:
		return LIVE_MEMORY_OTHER;
	}
}

/* Mutable: of the records that are just read. */
static struct {
	struct gpu_memory events[BATCH];
	size_t count;
} told;

static void tell_memory(void)
{
	copse_gpu_memory(told.events, told.count);
	told.count = 0;
}

void memory_record(const void *record)
{
	const CUpti_ActivityMemory3 *m = record;
	struct gpu_memory event = {
		.id = m->correlationId,
		.kind = memory_kind_of(m),
		.device = m->deviceId,
		.context = m->contextId,
		.address = m->address,
		.bytes = m->bytes,
		.ns = records_time(m->timestamp),
	};

	if (m->memoryOperationType ==
	    CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION)
		event.what = GPU_MEMORY_ALLOCATED;
	else if (m->memoryOperationType ==
		 CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE)
		event.what = GPU_MEMORY_FREED;
	else
		return;
	if (event.ns)
		told.events[told.count++] = event;
	else
		copse_gpu_lost(LOSS_GPU_TIMES, 1);
	if (told.count == BATCH)
		tell_memory();
}

void memory_read(void)
{
	if (told.count)
		tell_memory();
	copse_gpu_memory_settle(false);
}

/* Unified memory */

static const struct {
	CUpti_ActivityUnifiedMemoryCounterKind theirs;
	enum live_unified_kind ours;
	bool fault;
} counters[] = {
	{ CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
	  LIVE_UNIFIED_TO, false },
	{ CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
	  LIVE_UNIFIED_FROM, false },
	{ CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD,
	  LIVE_UNIFIED_PEER, false },
	{ CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
	  LIVE_UNIFIED_GPU, true },
	{ CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
	  LIVE_UNIFIED_CPU, true },
};
enum {
	COUNTERS = sizeof(counters) / sizeof(*counters)
};
#define ONE_DEVICE                                                             \
	CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE

/* Migrations from device to device are new in CUPTI: tried for itself. */
static CUptiResult configure_memory(uint32_t device)
{
	bool faults = copse_gpu_faults_wanted();
	CUptiResult err = CUPTI_SUCCESS;

	for (size_t i = 0; i < COUNTERS; i++) {
		CUpti_ActivityUnifiedMemoryCounterConfig config = {
			.scope = ONE_DEVICE,
			.kind = counters[i].theirs,
			.deviceId = device,
			.enable = 1,
		};
		CUptiResult one;

		if (counters[i].fault && !faults)
			continue;
		one = cupti.ActivityConfigureUnifiedMemoryCounter(&config, 1);
		if (one && counters[i].ours != LIVE_UNIFIED_PEER)
			err = one;
	}
	return err;
}

/*
 * No lock is held: the driver has its own, which another thread may hold while
 * it tells of a context.
 */
void memory_unified(void)
{
	CUptiResult err = CUPTI_SUCCESS;
	uint32_t first, count;

	if (!copse_gpu_unified_wanted())
		return;
	pthread_mutex_lock(&memory.lock);
	first = memory.configured;
	count = memory.count;
	memory.configured = count;
	pthread_mutex_unlock(&memory.lock);
	for (uint32_t i = first; i < count && !err; i++)
		err = configure_memory(memory.devices[i]);
	if (!err && !first && count)
		err = cupti.ActivityEnable(
			CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
	if (err && !memory.refused)
		copse_gpu_lost(LOSS_GPU_UNIFIED, 1);
	memory.refused |= err != CUPTI_SUCCESS;
}

/* Which device's it is: the one that is not the host. */
static uint32_t device_of(const CUpti_ActivityUnifiedMemoryCounter2 *u,
			  enum live_unified_kind kind)
{
	switch (kind) {
	case LIVE_UNIFIED_TO:
	case LIVE_UNIFIED_PEER:
		return u->dstId;
	case LIVE_UNIFIED_CPU:
		return LIVE_HOST;
	default:
		return u->srcId;
	}
}

void memory_unified_record(const void *record)
{
	const CUpti_ActivityUnifiedMemoryCounter2 *u = record;
	struct live_unified some = { .count = 1 };
	size_t i = 0;

	while (i < COUNTERS && counters[i].theirs != u->counterKind)
		i++;
	if (i == COUNTERS)
		return;
	some.kind = counters[i].ours;
	some.device = device_of(u, counters[i].ours);
	if (!counters[i].fault)
		some.bytes = u->value;
	if (some.kind == LIVE_UNIFIED_GPU)
		some.count = u->value;
	if (some.kind != LIVE_UNIFIED_CPU && u->start && u->end > u->start)
		some.ns = u->end - u->start;
	copse_gpu_unified(&some);
}

/* Contexts */

static void add_memory_device(CUcontext context)
{
	uint32_t device, i = 0;
	bool fresh;

	if (cupti.GetDeviceId(context, &device))
		return;
	pthread_mutex_lock(&memory.lock);
	while (i < memory.count && memory.devices[i] != device)
		i++;
	fresh = i == memory.count && i < DEVICES;
	if (fresh)
		memory.devices[memory.count++] = device;
	pthread_mutex_unlock(&memory.lock);
	if (fresh)
		limits_report(device);
}

static void tell_context_end(CUcontext context)
{
	struct gpu_memory event = { .what = GPU_MEMORY_CONTEXT,
				    .ns = copse_gpu_now() };

	if (memory.wanted && !cupti.GetContextId(context, &event.context))
		copse_gpu_memory(&event, 1);
}

void memory_resource(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
	if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
		add_memory_device(data->context);
	else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		tell_context_end(data->context);
}

void memory_begin(CUpti_SubscriberHandle subscriber)
{
	static const CUpti_CallbackId ids[] = {
		CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
		CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		cupti.EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
				     ids[i]);
	memory.wanted = copse_gpu_memory_wanted();
	if (memory.wanted)
		cupti.ActivityEnable(CUPTI_ACTIVITY_KIND_MEMORY2);
}

/* The end */

void memory_end(void)
{
	copse_gpu_memory_settle(true);
}

/* Of all these the first parameter is the address. */
static bool is_free_call(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
		return id == CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020 ||
		       id == CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020 ||
		       id == CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020 ||
		       id == CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_ptsz_v11020;
	return id == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2 ||
	       id == CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost ||
	       id == CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync ||
	       id == CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz;
}

void memory_late_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		      const CUpti_CallbackData *data)
{
	struct gpu_memory event = { .what = GPU_MEMORY_FREED,
				    .ns = copse_gpu_now() };
	const uint64_t *params = data->functionParams;

	if (!memory.wanted || data->callbackSite != CUPTI_API_ENTER ||
	    !params || !is_free_call(domain, id))
		return;
	event.address = *params;
	copse_gpu_memory(&event, 1);
	copse_gpu_memory_settle(true);
}
