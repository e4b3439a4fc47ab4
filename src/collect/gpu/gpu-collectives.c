/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-collectives.c - see gpu-collectives.h. */
#include "collect/gpu/gpu-collectives.h"

#include "base/hash.h"
#include "base/hidden.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/gpu/gpu-communicators.h"
#include "collect/gpu/gpu-live.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "collect/threads/wait-events.h"
#include "live/chunk.h"

enum {
	PENDING = 4096, /* calls whose kernels have not ended */
	RECORDS = 8192,
	DEVICES = 64
};

/* A call, by the id of its launch; `id` is 0 while the rest is written. */
struct pending {
	uint32_t id;
	uint64_t count; /* calls of the communicator, with the kernel's last */
	struct gpu_collective call;
};

/* What else a device did since its last collective kernel. */
struct work_before {
	uint64_t ns, longest_ns;
	live_ref node;
	uint32_t name;
};

static struct pending pending[PENDING];
static uint32_t any; /* atomic: there was a call */

/* Mutable: of one live profile. */
static struct {
	uint32_t generation, count;
	struct chunk_list list;
	struct work_before before[DEVICES];
} records;

PUBLIC void copse_gpu_communicator(uint64_t id, uint32_t size, uint32_t rank)
{
	if (size != 1)
		wait_events_init(size ? (int)size : 2);
	if (size)
		gpu_communicator_open(id, size, rank);
}

/*
 * The id of the call that the thread made last is still in its record; in a
 * pause it is an earlier one's.  Of several calls in one kernel the first
 * counts.
 */
PUBLIC void copse_gpu_collective(const struct gpu_collective *call)
{
	struct thread *t = thread_self();
	uint32_t id = t && !collect_paused() ? (uint32_t)copse_gpu_call.key : 0;
	struct pending *to = &pending[id % PENDING];
	uint64_t count =
		gpu_communicator_announce(call, id ? gpu_noted(id).node : 0);

	if (!id)
		return;
	if (__atomic_load_n(&to->id, __ATOMIC_RELAXED) == id) {
		if (to->call.comm == call->comm)
			to->count = count;
		return;
	}
	t->wait_events.wanted = true;
	__atomic_store_n(&to->id, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	to->call = *call;
	to->count = count;
	__atomic_store_n(&to->id, id, __ATOMIC_RELEASE);
	__atomic_store_n(&any, 1, __ATOMIC_RELEASE);
}

static bool take_pending(struct pending *to, uint32_t id)
{
	struct pending *at = &pending[id % PENDING];

	if (!id || __atomic_load_n(&at->id, __ATOMIC_ACQUIRE) != id)
		return false;
	*to = *at;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&at->id, __ATOMIC_RELAXED) == id;
}

static bool is_of_level(const void *record, void *level)
{
	return ((const struct live_collective *)record)->level >=
	       *(uint32_t *)level;
}

static void halve_records(struct arena *arena, struct live_gpu_lists *lists)
{
	uint32_t level = ++lists->collectives_level;

	__atomic_fetch_add(&lists->collectives_moving, 1, __ATOMIC_SEQ_CST);
	records.count = chunk_filter(arena, &records.list, lists->collectives,
				     sizeof(struct live_collective),
				     is_of_level, &level);
	__atomic_fetch_add(&lists->collectives_moving, 1, __ATOMIC_SEQ_CST);
}

static void put_collective(struct arena *arena,
			   const struct live_collective *one)
{
	struct live_gpu_lists *lists = &registry_header()->gpu_lists;
	live_ref ref;

	while (records.count >= RECORDS && lists->collectives_level < 64)
		halve_records(arena, lists);
	if (one->level < lists->collectives_level)
		return;
	ref = chunk_take(arena, &records.list, &lists->collectives,
			 sizeof(*one));
	if (!ref)
		return;
	*(struct live_collective *)arena_at(arena, ref) = *one;
	chunk_commit(arena, &records.list);
	records.count++;
}

static void record_collective(struct arena *arena,
			      const struct gpu_collective *call,
			      const struct gpu_work *work,
			      const struct gpu_launch *launch,
			      const struct work_before *before)
{
	uint64_t key =
		hash_pair(hash_pair(call->comm, call->function), call->number);
	struct live_collective one = {
		.key = key,
		.launched = launch->ns,
		.start = work->start,
		.end = work->end,
		.bytes = call->bytes,
		.busy_ns = before->ns,
		.node = launch->node,
		.busy_node = before->node,
		.name = launch->name,
		.busy_name = before->name,
		.comm = (uint32_t)(call->comm ^ call->comm >> 32),
		.size = call->size,
		.rank = call->rank,
		.thread = launch->thread,
		.device = work->device,
		.function = (uint16_t)call->function,
		.level = (uint16_t)(key ? __builtin_ctzll(key) : 63),
	};

	put_collective(arena, &one);
}

static void add_before(struct work_before *to, const struct gpu_work *work,
		       const struct gpu_launch *launch)
{
	uint64_t ns = work->end - work->start;

	to->ns += ns;
	if (ns < to->longest_ns)
		return;
	to->longest_ns = ns;
	to->node = launch->node;
	to->name = launch->name;
}

void gpu_collectives_work(struct arena *arena, const struct gpu_work *work,
			  const struct gpu_launch *launch)
{
	struct pending of;
	struct work_before *before;

	if (!__atomic_load_n(&any, __ATOMIC_ACQUIRE) || !launch->node)
		return;
	if (records.generation != registry_generation()) {
		records.generation = registry_generation();
		records.count = 0;
		records.list = (struct chunk_list){ 0 };
	}
	before = &records.before[work->device % DEVICES];
	if (!take_pending(&of, work->id)) {
		add_before(before, work, launch);
		return;
	}
	gpu_communicator_end(of.call.comm, of.count);
	record_collective(arena, &of.call, work, launch, before);
	*before = (struct work_before){ 0 };
}
