/* SPDX-License-Identifier: BSD-3-Clause */
/* activity-records.c - activity records become pieces of work. */
#include "cuda/activity-records.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect/gpu/gpu-time.h"
#include "collect/gpu/gpu.h"
#include "cuda/capture.h"
#include "cuda/flush.h"
#include "cuda/memory.h"

enum {
	BUFFER_SIZE = 2 << 20,
	BUFFERS_KEPT = 8,
	ALIGNMENT = 8,
	BATCH = 64,
};

/* Mutable: buffers are read one at a time; those that were read wait here. */
static struct {
	pthread_mutex_t lock;
	struct gpu_work work[BATCH];
	size_t count;
	int64_t offset; /* of CUPTI's clock to CLOCK_MONOTONIC */
	bool own_clock; /* CUPTI asks us */
	bool _Atomic ended;
	pthread_mutex_t pool_lock;
	uint8_t *pool[BUFFERS_KEPT];
	int pooled;
} records = { .lock = PTHREAD_MUTEX_INITIALIZER,
	      .pool_lock = PTHREAD_MUTEX_INITIALIZER };

static void hand_all_work_over(void)
{
	copse_gpu_add(records.work, records.count);
	records.count = 0;
}

uint64_t records_time(uint64_t at)
{
	return at ? at + (uint64_t)records.offset : 0;
}

static void hand_work_over(struct gpu_work work)
{
	if (!work.end && flush_is_forced())
		return;
	work.start = records_time(work.start);
	work.end = records_time(work.end);
	records.work[records.count++] = work;
	if (records.count == BATCH)
		hand_all_work_over();
}

/* By enum live_gpu_kind, then by the host's memory. */
enum memory {
	ANY,
	PAGEABLE,
	PINNED,
	MANAGED,
	MEMORIES
};
#define WORK_NAME(text_)                                                       \
	{                                                                      \
		.text = (text_), .class = LIVE_NAME_KERNEL                     \
	}
static struct region_name names[LIVE_GPU_KINDS][MEMORIES] = {
	[LIVE_GPU_GRAPH][ANY] = WORK_NAME("[graph]"),
#define COPY(kind, memory, name, ...)                                          \
	[LIVE_GPU_##kind][memory] = WORK_NAME(name),
#include "live/copies.def"
#undef COPY
};

static enum memory memory_of_copy(uint8_t kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
		return PAGEABLE;
	case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
		return PINNED;
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
		return MANAGED;
	default:
		return ANY;
	}
}

/* Where a record says that its work ran. */
#define PLACE(record)                                                          \
	.device = (record)->deviceId, .context = (record)->contextId,          \
	.stream = (record)->streamId

static void add_kernel_work(const void *record)
{
	const CUpti_ActivityKernel9 *k = record;
	struct region_name *name = kernel_name(k->name);

	if (!name) {
		copse_gpu_lost(LOSS_GPU_FULL, 1);
		return;
	}
	hand_work_over((struct gpu_work){ .id = k->correlationId,
					  .kind = LIVE_GPU_KERNEL,
					  .name = name,
					  .origin = k->graphNodeId,
					  .start = k->start,
					  .end = k->end,
					  PLACE(k) });
	launch_shapes_add(name, k);
}

static void add_copy_work(const void *record)
{
	const CUpti_ActivityMemcpy5 *c = record;
	enum live_gpu_kind kind = LIVE_GPU_WITHIN;
	enum memory memory = ANY;

	switch (c->copyKind) {
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
	case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
		kind = LIVE_GPU_TO;
		memory = memory_of_copy(c->srcKind);
		break;
	case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
	case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
		kind = LIVE_GPU_FROM;
		memory = memory_of_copy(c->dstKind);
		break;
	case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
		kind = LIVE_GPU_PEER;
		break;
	}
	hand_work_over((struct gpu_work){ .id = c->correlationId,
					  .kind = kind,
					  .name = &names[kind][memory],
					  .origin = c->graphNodeId,
					  .start = c->start,
					  .end = c->end,
					  .bytes = c->bytes,
					  PLACE(c) });
}

static void add_peer_copy_work(const void *record)
{
	const CUpti_ActivityMemcpyPtoP4 *c = record;

	hand_work_over((struct gpu_work){ .id = c->correlationId,
					  .kind = LIVE_GPU_PEER,
					  .name = &names[LIVE_GPU_PEER][ANY],
					  .start = c->start,
					  .end = c->end,
					  .bytes = c->bytes,
					  PLACE(c) });
}

static void add_memset_work(const void *record)
{
	const CUpti_ActivityMemset4 *s = record;

	hand_work_over((struct gpu_work){ .id = s->correlationId,
					  .kind = LIVE_GPU_SET,
					  .name = &names[LIVE_GPU_SET][ANY],
					  .origin = s->graphNodeId,
					  .start = s->start,
					  .end = s->end,
					  .bytes = s->bytes,
					  PLACE(s) });
}

static void add_graph_work(const void *record)
{
	const CUpti_ActivityGraphTrace *g = record;

	hand_work_over((struct gpu_work){ .id = g->correlationId,
					  .kind = LIVE_GPU_GRAPH,
					  .name = &names[LIVE_GPU_GRAPH][ANY],
					  .start = g->start,
					  .end = g->end,
					  PLACE(g) });
}

/* A MIG instance has a UUID of its own: others on the GPU are apart from it. */
static void name_recorded_device(const void *record)
{
	const CUpti_ActivityDevice5 *d = record;
	const struct gpu_device device = {
		.id = d->id,
		.name = d->name,
		.uuid = (const uint8_t *)(d->isMigEnabled ? &d->migUuid
							  : &d->uuid),
		.instance = d->isMigEnabled ? (int32_t)d->gpuInstanceId : -1,
	};

	copse_gpu_device(&device);
}

/*
 * What is asked for.  Graphs as a whole, unless their nodes are: then each gets
 * time stamps, and the GPU cannot run on from one to the next as it likes.  Not
 * how long calls waited for the GPU: it is what the calls that wait take.
 */
static const struct {
	CUpti_ActivityKind kind;
	void (*take)(const void *record);
	bool asked_for; /* elsewhere */
} kinds[] = {
	{ CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, add_kernel_work },
	{ CUPTI_ACTIVITY_KIND_MEMCPY, add_copy_work },
	{ CUPTI_ACTIVITY_KIND_MEMCPY2, add_peer_copy_work },
	{ CUPTI_ACTIVITY_KIND_MEMSET, add_memset_work },
	{ CUPTI_ACTIVITY_KIND_GRAPH_TRACE, add_graph_work, true },
	{ CUPTI_ACTIVITY_KIND_MEMORY2, memory_record, true },
	{ CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, memory_unified_record,
	  true },
	{ CUPTI_ACTIVITY_KIND_DEVICE, name_recorded_device },
};

static void read_activity_record(const CUpti_Activity *record)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].kind == record->kind) {
			kinds[i].take(record);
			break;
		}
	if (capture_wanted())
		copse_capture_record(record);
}

/* CUPTI asks from any thread; another's records would fill what it gets. */
static void CUPTIAPI request_buffer(uint8_t **buffer, size_t *size,
				    size_t *most)
{
	*buffer = NULL;
	*size = *most = 0;
	if (records.ended)
		return;
	pthread_mutex_lock(&records.pool_lock);
	if (records.pooled)
		*buffer = records.pool[--records.pooled];
	pthread_mutex_unlock(&records.pool_lock);
	if (!*buffer)
		*buffer = aligned_alloc(ALIGNMENT, BUFFER_SIZE);
	*size = *buffer ? BUFFER_SIZE : 0;
	flush_wanted();
}

static void give_back_buffer(uint8_t *buffer)
{
	pthread_mutex_lock(&records.pool_lock);
	if (records.pooled < BUFFERS_KEPT) {
		records.pool[records.pooled++] = buffer;
		buffer = NULL;
	}
	pthread_mutex_unlock(&records.pool_lock);
	free(buffer);
}

static void read_buffer(uint8_t *buffer, size_t size)
{
	CUpti_Activity *record = NULL;

	while (!cupti.ActivityGetNextRecord(buffer, size, &record))
		read_activity_record(record);
	hand_all_work_over();
	launch_shapes_report();
	memory_read();
}

static void CUPTIAPI complete_buffer(CUcontext context, uint32_t stream,
				     uint8_t *buffer, size_t size, size_t valid)
{
	size_t dropped = 0;

	(void)size;
	if (!records.ended) {
		pthread_mutex_lock(&records.lock);
		if (valid) {
			flush_heard();
			read_buffer(buffer, valid);
		}
		pthread_mutex_unlock(&records.lock);
		cupti.ActivityGetNumDroppedRecords(context, stream, &dropped);
		if (dropped)
			copse_gpu_lost(LOSS_GPU_DROPPED, dropped);
	}
	give_back_buffer(buffer);
}

static uint64_t CUPTIAPI record_now(void)
{
	return copse_gpu_now();
}

/* As CUPTI's header says of Linux: it cannot be told to forget ours. */
static uint64_t CUPTIAPI usual_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* All times are the collector's; else they are put beside its clock once. */
static void set_clock(void)
{
	uint64_t theirs = 0;

	records.own_clock =
		!cupti.ActivityRegisterTimestampCallback(record_now);
	if (records.own_clock)
		return;
	if (!cupti.GetTimestamp(&theirs) && theirs)
		records.offset = (int64_t)(record_now() - theirs);
}

CUptiResult records_begin(void)
{
	CUptiResult err;

	set_clock();
	err = cupti.ActivityRegisterCallbacks(request_buffer, complete_buffer);
	/* Kernels are needed; of the rest what there is. */
	if (!err)
		err = cupti.ActivityEnable(kinds[0].kind);
	for (size_t i = 1; !err && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!kinds[i].asked_for)
			cupti.ActivityEnable(kinds[i].kind);
	return err;
}

void records_choose_graphs(void)
{
	static bool _Atomic chosen;

	if (chosen || atomic_exchange(&chosen, true))
		return;
	if (cupti_fails_with_graphs())
		copse_gpu_take_nodes();
	if (!copse_gpu_nodes())
		cupti.ActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

void records_stop(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		cupti.ActivityDisable(kinds[i].kind);
}

void records_restore_clock(void)
{
	if (records.own_clock)
		cupti.ActivityRegisterTimestampCallback(usual_clock);
}

void records_end(void)
{
	records.ended = true;
}
