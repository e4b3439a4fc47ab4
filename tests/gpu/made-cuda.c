/* SPDX-License-Identifier: BSD-3-Clause */
/* made-cuda.c - see made-cuda.h. */
#include "made-cuda.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "made-bare.h"
#include "made-inside.h"

#define PUBLIC __attribute__((visibility("default")))

enum {
	STREAMS = 64,
	CALLS = 1024,
	NODES = 16,
	DELAY_NS = 5000, /* from a call to the start, where nothing is before */
	KINDS = CUPTI_ACTIVITY_KIND_COUNT,
};

static const CUpti_CallbackDomain RUNTIME = CUPTI_CB_DOMAIN_RUNTIME_API,
				  DRIVER = CUPTI_CB_DOMAIN_DRIVER_API;

static struct {
	pthread_once_t once;
	const char *fault;
	int log;            /* what happened is added to this file, if >= 0 */
	uint64_t launch_ns; /* of the host, each */
	uint64_t queue_ns;  /* the most work that waits; 0: no end */
	CUpti_CallbackFunc _Atomic callback;
	void *data; /* the subscriber's */
	CUpti_SubscriberHandle subscriber;
	bool domains[CUPTI_CB_DOMAIN_SIZE];
	bool calls[CUPTI_CB_DOMAIN_SIZE][CALLS];
	bool kinds[KINDS];
	CUpti_BuffersCallbackRequestFunc request;
	CUpti_BuffersCallbackCompleteFunc complete;
	CUpti_TimestampCallbackFunc clock;
	uint64_t _Atomic asked; /* so often for records, and they were told */
	uint32_t ids;
	pthread_mutex_t lock; /* of what follows */
	uint64_t busy_until[STREAMS];
	uint8_t *buffer;
	size_t size, used;
	size_t dropped;
	bool goes_on; /* work that the buffer has a record of */
} made = { .once = PTHREAD_ONCE_INIT,
	   .log = -1,
	   .lock = PTHREAD_MUTEX_INITIALIZER };

/* Of what this thread calls for. */
static __thread uint32_t device;

static __thread bool loading; /* in load_injection() */

static bool fault(const char *name)
{
	return made.fault && !strcmp(made.fault, name);
}

/* As the driver: its first use loads who wants to be told. */
static void load_injection(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	const char *log = getenv("MADE_LOG");
	const char *cost = getenv("MADE_LAUNCH");
	const char *queue = getenv("MADE_QUEUE");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*begin)(void) = NULL;

	made.fault = getenv("MADE_FAULT");
	made.launch_ns = cost ? (uint64_t)atol(cost) : 0;
	made.queue_ns = queue ? (uint64_t)atol(queue) : 0;
	if (log)
		made.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				0600);
	if (library)
		begin = (int (*)(void))dlsym(library, "InitializeInjection");
	loading = true;
	if (begin)
		begin();
	loading = false;
	made_first_context();
}

int made_fault(const char *name)
{
	return fault(name);
}

/* Records */

static size_t size_of(CUpti_ActivityKind kind)
{
	size_t size = 0;

	switch (kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		size = sizeof(CUpti_ActivityKernel9);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		size = sizeof(CUpti_ActivityMemcpy5);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		size = sizeof(CUpti_ActivityMemcpyPtoP4);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		size = sizeof(CUpti_ActivityMemset4);
		break;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		size = sizeof(CUpti_ActivityGraphTrace);
		break;
	case CUPTI_ACTIVITY_KIND_MEMORY2:
		size = sizeof(CUpti_ActivityMemory3);
		break;
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		size = sizeof(CUpti_ActivityUnifiedMemoryCounter2);
		break;
	case CUPTI_ACTIVITY_KIND_DEVICE:
		size = sizeof(CUpti_ActivityDevice5);
		break;
	default:
		break;
	}
	return (size + 7) & ~(size_t)7;
}

static void flush_locked(void)
{
	uint8_t *buffer = made.buffer;
	size_t used = made.used;

	made.buffer = NULL;
	made.used = 0;
	made.goes_on = false;
	if (!buffer)
		return;
	pthread_mutex_unlock(&made.lock);
	made.complete(NULL, 0, buffer, made.size, used);
	pthread_mutex_lock(&made.lock);
}

static void count_work(const void *record, CUpti_ActivityKind kind)
{
	const CUpti_ActivityKernel9 *kernel = record;
	const CUpti_ActivityMemcpy5 *copy = record;

	if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
		made_counters_work(kernel->name, kernel->start, kernel->end);
	else if (kind == CUPTI_ACTIVITY_KIND_MEMCPY)
		made_counters_work("copy", copy->start, copy->end);
}

static void put(const void *record, CUpti_ActivityKind kind)
{
	size_t size = size_of(kind), most = 0;

	count_work(record, kind);
	if (!made.complete || !made.kinds[kind] || fault("silent"))
		return;
	if (made.buffer && made.used + size > made.size)
		flush_locked();
	if (!made.buffer)
		made.request(&made.buffer, &made.size, &most);
	if (!made.buffer ||
	    (fault("drop") && kind != CUPTI_ACTIVITY_KIND_DEVICE)) {
		made.dropped++;
		return;
	}
	memcpy(made.buffer + made.used, record, size);
	made.used += size;
}

void made_put(const CUpti_Activity *record)
{
	pthread_mutex_lock(&made.lock);
	put(record, record->kind);
	pthread_mutex_unlock(&made.lock);
}

/* Whoever is loaded calls CUPTI. */
void made_load(void)
{
	if (!loading)
		pthread_once(&made.once, load_injection);
}

static uint64_t now(void)
{
	struct timespec t;

	if (made.clock)
		return made.clock();
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t made_now(void)
{
	return now();
}

/* What the driver has to do for a launch, on a core. */
static void take_host_time(uint64_t ns)
{
	uint64_t until = ns ? now() + ns : 0;

	while (ns && now() < until)
		;
}

/* Until then: a driver looks all the time; long waits leave the core. */
static void wait_until(uint64_t until)
{
	int64_t left;

	while ((left = (int64_t)(until - now())) > 0)
		if (left > 300000)
			usleep(100);
}

struct span {
	uint64_t start, end;
};

/* Work of one stream runs one after another. */
static struct span take_time(const char *what, uint32_t id, unsigned int stream,
			     uint64_t ns)
{
	uint64_t *busy = &made.busy_until[stream % STREAMS];
	uint64_t start = now() + DELAY_NS;
	struct span span;

	if (start < *busy)
		start = *busy;
	span = (struct span){ start, start + ns };
	*busy = span.end;
	if (made.log >= 0)
		dprintf(made.log, "work %s %u %llu %llu\n", what, id,
			(unsigned long long)start,
			(unsigned long long)span.end);
	if (fault("reversed") && stream == 1)
		span = (struct span){ span.end, span.start };
	return span;
}

/* Calls */

void made_tell(struct call *c, CUpti_ApiCallbackSite site)
{
	CUpti_CallbackFunc callback = made.callback;

	if (!callback ||
	    (!made.domains[c->domain] && !made.calls[c->domain][c->id % CALLS]))
		return;
	c->data.callbackSite = site;
	if (fault("bare"))
		bare_call(callback, c->domain, c->id, &c->data);
	else
		callback(made.data, c->domain, c->id, &c->data);
}

/*
 * As NVIDIA's: the parameters lie in the frame of the called function, and so
 * does what it returns; a function without any has NULL for them.
 */
static void begin(struct call *c, CUpti_CallbackDomain domain,
		  CUpti_CallbackId id, const char *name, const void *params,
		  uint32_t correlation)
{
	uint64_t before;

	pthread_once(&made.once, load_injection);
	before = made.log >= 0 ? now() : 0;
	*c = (struct call){ .domain = domain, .id = id };
	c->data.functionName = name;
	c->data.functionParams = params;
	c->data.functionReturnValue = &c->code;
	c->data.correlationData = &c->room;
	c->data.correlationId =
		correlation
			? correlation
			: __atomic_add_fetch(&made.ids, 1, __ATOMIC_RELAXED);
	made_tell(c, CUPTI_API_ENTER);
	if (made.log >= 0)
		dprintf(made.log, "call %s %u %llu %llu\n", name,
			c->data.correlationId, (unsigned long long)before,
			(unsigned long long)now());
}

static int end(struct call *c, int code)
{
	c->code = code;
	made_tell(c, CUPTI_API_EXIT);
	return code;
}

void made_begin(struct call *c, CUpti_CallbackDomain domain,
		CUpti_CallbackId id, const char *name, const void *params)
{
	begin(c, domain, id, name, params, 0);
}

int made_end(struct call *c, int code)
{
	return end(c, code);
}

/* What the thread tells of. */
static __thread CUpti_CallbackId in_resource;

void made_resource(CUpti_CallbackId id, CUcontext context, void *of)
{
	CUpti_ResourceData data = { .context = context,
				    .resourceDescriptor = of };
	CUpti_CallbackFunc callback = made.callback;

	in_resource = id;
	if (callback && made.calls[CUPTI_CB_DOMAIN_RESOURCE][id])
		callback(made.data, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
	in_resource = CUPTI_CBID_RESOURCE_INVALID;
}

int made_in_context_callback(void)
{
	return in_resource == CUPTI_CBID_RESOURCE_CONTEXT_CREATED ||
	       in_resource == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING;
}

/* Of the next kernels that the thread launches. */
static __thread struct made_shape shape = {
	{ 1000, 1, 1 }, { 32, 1, 1 }, 16, 0, 0, 0
};

PUBLIC void made_next_shape(const struct made_shape *like)
{
	shape = *like;
}

static void run_kernel(uint32_t id, const char *kernel, unsigned int stream,
		       uint64_t ns)
{
	CUpti_ActivityKernel9 k = {
		.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		.correlationId = id,
		.deviceId = device,
		.contextId = device + 1,
		.streamId = stream,
		.name = kernel,
		.gridX = shape.grid[0],
		.gridY = shape.grid[1],
		.gridZ = shape.grid[2],
		.blockX = shape.block[0],
		.blockY = shape.block[1],
		.blockZ = shape.block[2],
		.registersPerThread = shape.registers,
		.staticSharedMemory = shape.static_shared,
		.dynamicSharedMemory = shape.dynamic_shared,
		.localMemoryPerThread = shape.local,
	};
	struct span span;

	pthread_mutex_lock(&made.lock);
	if (ns != MADE_ENDLESS) {
		span = take_time("kernel", id, stream, ns);
		k.start = span.start;
		k.end = span.end;
	}
	put(&k, k.kind);
	made.goes_on |= ns == MADE_ENDLESS;
	pthread_mutex_unlock(&made.lock);
}

/* A driver waits until the oldest work of a full queue is done. */
static void wait_for_room(unsigned int stream)
{
	if (made.queue_ns)
		wait_until(made.busy_until[stream % STREAMS] - made.queue_ns);
}

struct launch_params {
	const char *kernel;
	unsigned int stream;
	uint64_t ns;
};

/* The driver's part, when it is called by the runtime too. */
__attribute__((noinline)) static int launch(const char *kernel,
					    unsigned int stream, uint64_t ns,
					    uint32_t correlation)
{
	struct launch_params params = { kernel, stream, ns };
	struct call c;

	begin(&c, DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
	      "cuLaunchKernel", &params, correlation);
	take_host_time(made.launch_ns);
	run_kernel(c.data.correlationId, params.kernel, params.stream,
		   params.ns);
	wait_for_room(params.stream);
	return end(&c, 0);
}

PUBLIC int made_cudaSetDevice(unsigned int which)
{
	device = which;
	return 0;
}

PUBLIC int made_cuLaunchKernel(const char *kernel, unsigned int stream,
			       uint64_t ns)
{
	struct launch_params params = { kernel, stream, ns };
	struct call c;

	begin(&c, DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
	      "cuLaunchKernel", &params, 0);
	run_kernel(c.data.correlationId, params.kernel, params.stream,
		   params.ns);
	return end(&c, 0);
}

PUBLIC int made_cudaLaunchKernel(const char *kernel, unsigned int stream,
				 uint64_t ns)
{
	struct launch_params params = { kernel, stream, ns };
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
	      "cudaLaunchKernel_v7000", &params, 0);
	return end(&c, launch(params.kernel, params.stream, params.ns,
			      c.data.correlationId));
}

/* The one graph, and what is launched of it: each node has an id of its own. */
static struct made_node {
	const char *kernel;
	uint64_t id;
} graph[2][NODES];
static size_t nodes;

static void tell_node(CUpti_CallbackId id, struct made_node *node,
		      struct made_node *original)
{
	CUpti_GraphData data = { .node = (CUgraphNode)node,
				 .originalNode = (CUgraphNode)original };
	CUpti_ResourceData resource = { .resourceDescriptor = &data };
	CUpti_CallbackFunc callback = made.callback;

	if (callback && made.calls[CUPTI_CB_DOMAIN_RESOURCE][id])
		callback(made.data, CUPTI_CB_DOMAIN_RESOURCE, id, &resource);
}

PUBLIC CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
	*id = ((struct made_node *)node)->id;
	return CUPTI_SUCCESS;
}

PUBLIC int made_capture(const char *kernel)
{
	struct launch_params params = { kernel, 0, 0 };
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
	      "cudaLaunchKernel_v7000", &params, 0);
	graph[0][nodes] = (struct made_node){ params.kernel, nodes + 1 };
	tell_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &graph[0][nodes],
		  NULL);
	nodes++;
	return end(&c, 0);
}

PUBLIC int made_cudaGraphInstantiate(void)
{
	struct launch_params params = { NULL, 0, 0 };
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaGraphInstantiate_v12000,
	      "cudaGraphInstantiate_v12000", &params, 0);
	for (size_t i = 0; i < nodes; i++) {
		graph[1][i] = graph[0][i];
		graph[1][i].id = (uint64_t)1 << 32 | i;
		tell_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &graph[1][i],
			  &graph[0][i]);
	}
	return end(&c, 0);
}

/* One after another; each has the time of all divided. */
static void run_nodes(uint32_t id, unsigned int stream, uint64_t ns)
{
	for (size_t i = 0; i < nodes; i++) {
		CUpti_ActivityKernel9 k = {
			.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
			.correlationId = id,
			.streamId = stream,
			.name = graph[1][i].kernel,
			.graphNodeId = graph[1][i].id,
		};
		struct span span = take_time("graph", id, stream, ns / nodes);

		k.start = span.start;
		k.end = span.end;
		put(&k, k.kind);
	}
}

/* Where the graph is no more than its launches. */
static void tell_unnamed_node(void)
{
	static bool told;
	static struct made_node unnamed = { .id = 1 };

	if (nodes || told)
		return;
	told = true;
	tell_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &unnamed, NULL);
}

PUBLIC int made_cudaGraphLaunch(unsigned int stream, uint64_t ns)
{
	struct launch_params params = { NULL, stream, ns };
	CUpti_ActivityGraphTrace g = { .kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
				       .graphId = 1 };
	struct span span;
	struct call c;

	tell_unnamed_node();
	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
	      "cudaGraphLaunch_v10000", &params, 0);
	take_host_time(2 * made.launch_ns);
	pthread_mutex_lock(&made.lock);
	if (!made.kinds[g.kind] && nodes) {
		run_nodes(c.data.correlationId, params.stream, params.ns);
		pthread_mutex_unlock(&made.lock);
		return end(&c, 0);
	}
	span = take_time("graph", c.data.correlationId, params.stream,
			 params.ns);
	g.correlationId = c.data.correlationId;
	g.deviceId = device;
	g.contextId = device + 1;
	g.streamId = params.stream;
	g.start = span.start;
	g.end = span.end;
	put(&g, g.kind);
	pthread_mutex_unlock(&made.lock);
	return end(&c, 0);
}

struct copy_params {
	enum made_copy kind;
	uint64_t bytes, ns;
};

/* When it is done. */
static uint64_t run_copy(uint32_t id, const struct copy_params *params)
{
	CUpti_ActivityMemcpy5 m = {
		.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
		.correlationId = id,
		.deviceId = device,
		.contextId = device + 1,
		.bytes = params->bytes,
		.copyKind = (uint8_t)params->kind,
		.srcKind = params->kind == MADE_TO
				   ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED
				   : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		.dstKind = params->kind == MADE_FROM
				   ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE
				   : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
	};
	struct span span = take_time("copy", id, 0, params->ns);

	m.start = span.start;
	m.end = span.end;
	put(&m, m.kind);
	return span.end;
}

PUBLIC int made_cudaMemcpyAsync(enum made_copy kind, uint64_t bytes,
				uint64_t ns)
{
	struct copy_params params = { kind, bytes, ns };
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
	      "cudaMemcpyAsync_v3020", &params, 0);
	pthread_mutex_lock(&made.lock);
	run_copy(c.data.correlationId, &params);
	pthread_mutex_unlock(&made.lock);
	return end(&c, 0);
}

PUBLIC int made_cudaMemcpy(enum made_copy kind, uint64_t bytes, uint64_t ns)
{
	struct copy_params params = { kind, bytes, ns };
	uint64_t until;
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020,
	      "cudaMemcpy_v3020", &params, 0);
	pthread_mutex_lock(&made.lock);
	for (int i = 0; i < STREAMS; i++)
		if (made.busy_until[i] > made.busy_until[0])
			made.busy_until[0] = made.busy_until[i];
	until = run_copy(c.data.correlationId, &params);
	pthread_mutex_unlock(&made.lock);
	wait_until(until);
	return end(&c, 0);
}

PUBLIC int made_cudaMemsetAsync(uint64_t bytes, uint64_t ns)
{
	struct copy_params params = { 0, bytes, ns };
	CUpti_ActivityMemset4 m = { .kind = CUPTI_ACTIVITY_KIND_MEMSET };
	struct span span;
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
	      "cudaMemsetAsync_v3020", &params, 0);
	pthread_mutex_lock(&made.lock);
	span = take_time("set", c.data.correlationId, 0, params.ns);
	m.correlationId = c.data.correlationId;
	m.deviceId = device;
	m.contextId = device + 1;
	m.bytes = params.bytes;
	m.start = span.start;
	m.end = span.end;
	put(&m, m.kind);
	pthread_mutex_unlock(&made.lock);
	return end(&c, 0);
}

PUBLIC int made_cudaDeviceSynchronize(uint64_t ns)
{
	struct timespec wait = { (time_t)(ns / 1000000000),
				 (long)(ns % 1000000000) };
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
	      "cudaDeviceSynchronize_v3020", NULL, 0);
	nanosleep(&wait, NULL);
	return end(&c, 0);
}

PUBLIC int made_cudaStreamSynchronize(unsigned int stream)
{
	struct launch_params params = { NULL, stream, 0 };
	uint64_t until;
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
	      "cudaStreamSynchronize_v3020", &params, 0);
	pthread_mutex_lock(&made.lock);
	until = made.busy_until[params.stream % STREAMS];
	pthread_mutex_unlock(&made.lock);
	wait_until(until);
	return end(&c, 0);
}

static int plain(CUpti_CallbackId id, const char *name, int code)
{
	return code + (int)id * !name;
}

/* Calls that do nothing but be called: each has a frame of its own. */
#define PLAIN(function, version, code)                                         \
	PUBLIC int made_##function(void)                                       \
	{                                                                      \
		struct call c;                                                 \
                                                                               \
		begin(&c, RUNTIME,                                             \
		      CUPTI_RUNTIME_TRACE_CBID_##function##_v##version,        \
		      #function "_v" #version, NULL, 0);                       \
		return end(&c, plain(c.id, c.data.functionName, code));        \
	}
PLAIN(cudaStreamQuery, 3020, 600)
PLAIN(cudaProfilerStart, 4000, 0)
PLAIN(cudaProfilerStop, 4000, 0)

PUBLIC int made_cudaDeviceReset(void)
{
	volatile uint64_t params[2] = { 0 };
	struct call c;

	begin(&c, RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020,
	      "cudaDeviceReset_v3020", (const void *)params, 0);
	made_next_context();
	return end(&c, 0);
}

/* CUPTI */

PUBLIC CUptiResult cuptiGetVersion(uint32_t *version)
{
	*version = fault("old") ? 10 : CUPTI_API_VERSION;
	return CUPTI_SUCCESS;
}

/* One at a time; no two have the same handle. */
PUBLIC CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber,
				  CUpti_CallbackFunc callback, void *data)
{
	static uintptr_t handles;

	made_load(); /* as the driver's tables are looked for */
	if (fault("subscriber") || made.subscriber)
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	*subscriber = made.subscriber = (CUpti_SubscriberHandle)++handles;
	made.data = data;
	made.callback = callback;
	return CUPTI_SUCCESS;
}

/* CUDA 12's headers do not have it. */
PUBLIC CUptiResult made_subscribe(CUpti_SubscriberHandle *subscriber,
				  CUpti_CallbackFunc callback, void *data,
				  void *params) __asm__("cuptiSubscribe_v2");

PUBLIC CUptiResult made_subscribe(CUpti_SubscriberHandle *subscriber,
				  CUpti_CallbackFunc callback, void *data,
				  void *params)
{
	(void)params;
	return cuptiSubscribe(subscriber, callback, data);
}

PUBLIC CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
	if (!subscriber || subscriber != made.subscriber)
		return CUPTI_ERROR_INVALID_PARAMETER;
	made.callback = NULL;
	memset(made.domains, 0, sizeof(made.domains));
	memset(made.calls, 0, sizeof(made.calls));
	made.subscriber = NULL;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiEnableDomain(uint32_t enable,
				     CUpti_SubscriberHandle subscriber,
				     CUpti_CallbackDomain domain)
{
	if (subscriber != made.subscriber)
		return CUPTI_ERROR_INVALID_PARAMETER;
	made.domains[domain] = enable;
	return CUPTI_SUCCESS;
}

static const struct {
	CUpti_CallbackDomain domain;
	CUpti_CallbackId id;
	const char *name;
} names[] = {
#define RUNTIME_NAME(name_)                                                    \
	{                                                                      \
		CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_##name_, \
			#name_                                                 \
	}
	RUNTIME_NAME(cudaLaunchKernel_v7000),
	RUNTIME_NAME(cudaGraphLaunch_v10000),
	RUNTIME_NAME(cudaGraphInstantiate_v12000),
	RUNTIME_NAME(cudaMemcpyAsync_v3020),
	RUNTIME_NAME(cudaMemsetAsync_v3020),
	RUNTIME_NAME(cudaMalloc_v3020),
	RUNTIME_NAME(cudaMallocManaged_v6000),
	RUNTIME_NAME(cudaHostAlloc_v3020),
	RUNTIME_NAME(cudaMallocAsync_v11020),
	RUNTIME_NAME(cudaFree_v3020),
	RUNTIME_NAME(cudaFreeHost_v3020),
	RUNTIME_NAME(cudaFreeAsync_v11020),
	RUNTIME_NAME(cudaDeviceSynchronize_v3020),
	RUNTIME_NAME(cudaStreamSynchronize_v3020),
	RUNTIME_NAME(cudaMemcpy_v3020),
	RUNTIME_NAME(cudaStreamQuery_v3020),
	RUNTIME_NAME(cudaProfilerStart_v4000),
	RUNTIME_NAME(cudaProfilerStop_v4000),
	RUNTIME_NAME(cudaDeviceReset_v3020),
	{ CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
	  "cuLaunchKernel" },
};

PUBLIC CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain,
					uint32_t id, const char **name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].domain == domain && names[i].id == id) {
			*name = names[i].name;
			return CUPTI_SUCCESS;
		}
	return CUPTI_ERROR_INVALID_PARAMETER;
}

PUBLIC CUptiResult cuptiEnableCallback(uint32_t enable,
				       CUpti_SubscriberHandle subscriber,
				       CUpti_CallbackDomain domain,
				       CUpti_CallbackId id)
{
	if (subscriber != made.subscriber)
		return CUPTI_ERROR_INVALID_PARAMETER;
	made.calls[domain][id % CALLS] = enable;
	return CUPTI_SUCCESS;
}

/* Two, whose UUIDs begin with MADE_UUID, 1 unless it is set. */
static void tell_devices(void)
{
	const char *uuid = getenv("MADE_UUID");

	for (uint32_t i = 0; i < 2; i++) {
		CUpti_ActivityDevice5 d = {
			.kind = CUPTI_ACTIVITY_KIND_DEVICE,
			.id = i,
			.name = "Made 100",
		};

		d.uuid.bytes[0] = (char)(uuid ? atoi(uuid) : 1);
		d.uuid.bytes[15] = (char)i;
		made_put((const CUpti_Activity *)&d);
	}
}

PUBLIC CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	made.kinds[kind] = true;
	if (kind == CUPTI_ACTIVITY_KIND_DEVICE && !fault("nodevices"))
		tell_devices();
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	made.kinds[kind] = false;
	return CUPTI_SUCCESS;
}

/* A buffer of those before is filled, and comes to these. */
PUBLIC CUptiResult
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
			       CUpti_BuffersCallbackCompleteFunc complete)
{
	made.request = request;
	made.complete = complete;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock)
{
	made.clock = clock;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiGetTimestamp(uint64_t *to)
{
	*to = now();
	return CUPTI_SUCCESS;
}

/*
 * As NVIDIA's: only who asks gets buffers that are not full, and only who
 * forces it those that have a record of work that goes on, without its times.
 */
PUBLIC CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	while (fault("hang") && flag)
		sleep(1);
	if (!made.subscriber && fault("subscriber"))
		abort(); /* NVIDIA's crashes beside its own sanitizer */
	pthread_mutex_lock(&made.lock);
	if (flag || !made.goes_on)
		flush_locked();
	pthread_mutex_unlock(&made.lock);
	made.asked++;
	return CUPTI_SUCCESS;
}

PUBLIC uint64_t made_asked(void)
{
	return made.asked;
}

/* The first time may have begun before. */
PUBLIC void made_told(void)
{
	uint64_t enough = made.asked + 2;

	while (made.asked < enough)
		usleep(1000);
}

PUBLIC CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
					      CUpti_Activity **record)
{
	uint8_t *next = buffer;

	if (*record)
		next = (uint8_t *)*record + size_of((*record)->kind);
	if (next >= buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)next;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context,
						     uint32_t stream,
						     size_t *dropped)
{
	(void)context, (void)stream;
	pthread_mutex_lock(&made.lock);
	*dropped = made.dropped;
	made.dropped = 0;
	pthread_mutex_unlock(&made.lock);
	return CUPTI_SUCCESS;
}
