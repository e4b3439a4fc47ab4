/* SPDX-License-Identifier: BSD-3-Clause */
/* made-memory.c - memory and contexts of the made CUDA, see made-cuda.h. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "made-cuda.h"
#include "made-inside.h"

#define PUBLIC __attribute__((visibility("default")))

enum {
	BLOCKS = 4096,
	TURN = 4
};

#define MEMORY_ALLOCATION CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION
#define MEMORY_RELEASE    CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE

static const CUpti_CallbackDomain RUNTIME = CUPTI_CB_DOMAIN_RUNTIME_API;

/* The device's addresses: block i begins at (i + 1) << 40. */
static struct {
	pthread_mutex_t lock;
	struct block {
		uint64_t bytes; /* 0: free */
		CUpti_ActivityMemoryKind kind;
		int pool;
	} blocks[BLOCKS];
	uint32_t context;
	CUpti_ActivityMemory3 held[TURN];
	int held_count;
	int counters[CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_COUNT];
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void emit(const CUpti_ActivityMemory3 *record)
{
	if (!made_fault("disorder")) {
		made_put((const CUpti_Activity *)record);
		return;
	}
	memory.held[memory.held_count++] = *record;
	while (memory.held_count == TURN)
		for (; memory.held_count; memory.held_count--)
			made_put((const CUpti_Activity *)&memory
					 .held[memory.held_count - 1]);
}

static void tell(uint32_t id, int released, uint32_t i)
{
	CUpti_ActivityMemory3 m = {
		.kind = CUPTI_ACTIVITY_KIND_MEMORY2,
		.memoryKind = memory.blocks[i].kind,
		.correlationId = id,
		.address = (uint64_t)(i + 1) << 40,
		.bytes = memory.blocks[i].bytes,
		.timestamp = made_now(),
		.contextId = memory.context,
		.isAsync = (uint32_t)memory.blocks[i].pool,
	};

	m.memoryOperationType = released ? MEMORY_RELEASE : MEMORY_ALLOCATION;
	if (memory.blocks[i].pool)
		m.memoryPoolConfig.memoryPoolType =
			CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
	emit(&m);
}

/* As a driver's that has to ask the system, or to wait for the device. */
static void take_long(void)
{
	if (made_fault("slow"))
		usleep(1000);
}

static uint64_t take(uint32_t id, uint64_t bytes, CUpti_ActivityMemoryKind kind,
		     int pool)
{
	uint32_t i = 0;

	take_long();
	pthread_mutex_lock(&memory.lock);
	while (i < BLOCKS && memory.blocks[i].bytes)
		i++;
	if (i < BLOCKS) {
		memory.blocks[i] = (struct block){ bytes, kind, pool };
		tell(id, 0, i);
	}
	pthread_mutex_unlock(&memory.lock);
	return i < BLOCKS ? (uint64_t)(i + 1) << 40 : 0;
}

static void give(uint32_t id, uint64_t address)
{
	uint32_t i = (uint32_t)(address >> 40) - 1;

	take_long();
	pthread_mutex_lock(&memory.lock);
	if (address && i < BLOCKS && memory.blocks[i].bytes) {
		tell(id, 1, i);
		memory.blocks[i].bytes = 0;
	}
	pthread_mutex_unlock(&memory.lock);
}

/* Each has a frame of its own, which its parameters lie in. */
#define ALLOCATE(function, version, kind_, pool_)                              \
	PUBLIC uint64_t made_##function(uint64_t bytes)                        \
	{                                                                      \
		volatile uint64_t params[2] = { 0, bytes };                    \
		int code = bytes > (uint64_t)1 << 40 ? 2 : 0;                  \
		struct call c;                                                 \
                                                                               \
		made_begin(&c, RUNTIME,                                        \
			   CUPTI_RUNTIME_TRACE_CBID_##function##_v##version,   \
			   #function "_v" #version, (const void *)params);     \
		if (!code)                                                     \
			params[0] = take(c.data.correlationId, bytes,          \
					 CUPTI_ACTIVITY_MEMORY_KIND_##kind_,   \
					 pool_);                               \
		made_end(&c, code);                                            \
		return params[0];                                              \
	}
ALLOCATE(cudaMalloc, 3020, DEVICE, 0)
ALLOCATE(cudaMallocManaged, 6000, MANAGED, 0)
ALLOCATE(cudaHostAlloc, 3020, PINNED, 0)
ALLOCATE(cudaMallocAsync, 11020, DEVICE, 1)

#define RELEASE(function, version)                                             \
	PUBLIC int made_##function(uint64_t address)                           \
	{                                                                      \
		volatile uint64_t params[2] = { address, 0 };                  \
		struct call c;                                                 \
                                                                               \
		made_begin(&c, RUNTIME,                                        \
			   CUPTI_RUNTIME_TRACE_CBID_##function##_v##version,   \
			   #function "_v" #version, (const void *)params);     \
		give(c.data.correlationId, params[0]);                         \
		return made_end(&c, 0);                                        \
	}
RELEASE(cudaFree, 3020)
RELEASE(cudaFreeHost, 3020)
RELEASE(cudaFreeAsync, 11020)

/* Contexts: their number is their handle. */

static CUcontext handle(void)
{
	return (CUcontext)(uintptr_t)memory.context;
}

CUcontext made_context(void)
{
	return handle();
}

void made_first_context(void)
{
	memory.context = 1;
	made_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, handle(), NULL);
}

void made_next_context(void)
{
	made_resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, handle(),
		      NULL);
	pthread_mutex_lock(&memory.lock);
	memset(memory.blocks, 0, sizeof(memory.blocks));
	memory.context++;
	pthread_mutex_unlock(&memory.lock);
	made_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, handle(), NULL);
}

PUBLIC void made_context_beside(void)
{
	made_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
		      (CUcontext)(uintptr_t)1000, NULL);
}

PUBLIC CUptiResult cuptiGetContextId(CUcontext context, uint32_t *id)
{
	*id = (uint32_t)(uintptr_t)context;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device)
{
	(void)context;
	*device = 0;
	return CUPTI_SUCCESS;
}

/* As the driver's: it calls back, too. */
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
			      CUdevice device);

PUBLIC CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
				     CUdevice device)
{
	static const int values[][2] = {
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9 },
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0 },
		{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132 },
		{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
		{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048 },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32 },
		{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536 },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
		  233472 },
		{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536 },
		{ CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024 },
	};
	volatile uint64_t params[2] = { (uint64_t)device };
	CUresult err = CUDA_ERROR_INVALID_VALUE;
	struct call c = {
		.domain = CUPTI_CB_DOMAIN_DRIVER_API,
		.id = CUPTI_DRIVER_TRACE_CBID_cuDeviceGetAttribute,
		.data = { .functionName = "cuDeviceGetAttribute",
			  .functionParams = (const void *)params,
			  .functionReturnValue = &c.code,
			  .correlationData = &c.room,
			  .correlationId = UINT32_MAX },
	};

	made_tell(&c, CUPTI_API_ENTER);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (values[i][0] == (int)attribute) {
			*value = values[i][1];
			err = CUDA_SUCCESS;
		}
	made_end(&c, (int)err);
	return err;
}

/* Unified memory */

PUBLIC CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(
	CUpti_ActivityUnifiedMemoryCounterConfig *config, uint32_t count)
{
	if (made_fault("unified"))
		return CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED;
	for (uint32_t i = 0; i < count; i++)
		memory.counters[config[i].kind] = (int)config[i].enable;
	return CUPTI_SUCCESS;
}

static void counter(CUpti_ActivityUnifiedMemoryCounterKind kind, int times,
		    uint64_t value)
{
	for (int i = 0; i < times && memory.counters[kind]; i++) {
		CUpti_ActivityUnifiedMemoryCounter2 u = {
			.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
			.counterKind = kind,
			.value = value,
			.start = made_now(),
		};

		u.end = u.start + 1000;
		made_put((const CUpti_Activity *)&u);
	}
}

PUBLIC void made_migrate(uint64_t bytes)
{
	counter(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
		3, bytes);
	counter(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
		2, bytes);
	counter(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, 2,
		2);
	counter(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
		5, 0x1234);
}
