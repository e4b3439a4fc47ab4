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
	DEVICES = 64,
	PARTS = 64 /* messages of a kernel */
};

/*
 * A call, by the id of its launch, and its number among the messages of that
 * kernel; `id` is 0 while the rest is written.
 */
struct pending {
	uint32_t id, part;
	uint32_t parts; /* of the kernel: in its first one */
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

static struct pending *pending_place(uint32_t id, uint32_t part)
{
	return &pending[(id + part * 0x9e3779b9u) % PENDING];
}

/* In a pause, the id of the thread's last call is an earlier one's. */
static uint32_t id_of_launch(const struct thread *t)
{
	return t && !collect_paused() ? (uint32_t)copse_gpu_call.key : 0;
}

static void put_pending(struct thread *t, const struct pending *one)
{
	struct pending *to = pending_place(one->id, one->part);

	t->wait_events.wanted = true;
	__atomic_store_n(&to->id, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	to->part = one->part;
	to->parts = one->parts;
	to->count = one->count;
	to->call = one->call;
	__atomic_store_n(&to->id, one->id, __ATOMIC_RELEASE);
	__atomic_store_n(&any, 1, __ATOMIC_RELEASE);
}

static bool has_call(const struct pending *at, uint32_t id)
{
	return __atomic_load_n(&at->id, __ATOMIC_RELAXED) == id && !at->part;
}

/* Of several calls in one kernel the first counts. */
PUBLIC void copse_gpu_collective(const struct gpu_collective *call)
{
	struct thread *t = thread_self();
	uint32_t id = id_of_launch(t);
	struct pending *first = pending_place(id, 0);
	struct pending new = { .id = id, .parts = 1, .call = *call };

	new.count =
		gpu_communicator_announce(call, id ? gpu_noted(id).node : 0);
	if (!id)
		return;
	if (!has_call(first, id))
		put_pending(t, &new);
	else if (first->call.comm == call->comm)
		first->count = new.count;
}

static bool is_gpu_message(const struct gpu_collective *call)
{
	return call->function == LIVE_COLLECTIVE_SEND ||
	       call->function == LIVE_COLLECTIVE_RECEIVE;
}

/* Alike at both ends, and only there; 0: not known. */
static uint64_t number_of_message(const struct gpu_collective *call,
				  uint32_t peer)
{
	bool sends = call->function == LIVE_COLLECTIVE_SEND;
	uint32_t from = sends ? call->rank : peer;
	uint32_t to = sends ? peer : call->rank;
	uint64_t pair = hash_pair(call->comm, (uint64_t)from << 32 | to) | 1;
	uint64_t number = gpu_communicator_message(pair);

	return number ? hash_pair(pair, number) : 0;
}

/* What a rank sends to itself waits for nobody. */
PUBLIC void copse_gpu_message(const struct gpu_collective *call, uint32_t peer)
{
	struct thread *t = thread_self();
	uint32_t id = id_of_launch(t);
	struct pending *first = pending_place(id, 0);
	struct pending new = { .id = id, .parts = 1, .call = *call };

	if (peer == call->rank)
		return;
	new.call.number = number_of_message(call, peer);
	if (!id || !new.call.number)
		return;
	if (!has_call(first, id)) {
		put_pending(t, &new);
	} else if (is_gpu_message(&first->call) && first->parts < PARTS) {
		new.part = first->parts;
		put_pending(t, &new);
		__atomic_store_n(&first->parts, new.part + 1, __ATOMIC_RELEASE);
	}
}

static bool take_pending(struct pending *to, uint32_t id, uint32_t part)
{
	struct pending *at = pending_place(id, part);

	if (!id || __atomic_load_n(&at->id, __ATOMIC_ACQUIRE) != id)
		return false;
	*to = *at;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&at->id, __ATOMIC_RELAXED) == id &&
	       to->part == part;
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
	__atomic_thread_fence(__ATOMIC_RELEASE); /* what follows comes later */
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

/* A message's number is the same at both ends, and nowhere else. */
static uint64_t key_of_call(const struct gpu_collective *call)
{
	return is_gpu_message(call)
		       ? call->number
		       : hash_pair(hash_pair(call->comm, call->function),
				   call->number);
}

static void record_collective(struct arena *arena,
			      const struct gpu_collective *call, uint32_t parts,
			      const struct gpu_work *work,
			      const struct gpu_launch *launch,
			      const struct work_before *before)
{
	uint64_t key = key_of_call(call);
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
		.parts = parts,
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

bool gpu_collectives_work(struct arena *arena, const struct gpu_work *work,
			  const struct gpu_launch *launch,
			  struct gpu_collective *call)
{
	struct pending first, of;
	struct work_before *before;

	if (!__atomic_load_n(&any, __ATOMIC_ACQUIRE) || !launch->node)
		return false;
	if (records.generation != registry_generation()) {
		records.generation = registry_generation();
		records.count = 0;
		records.list = (struct chunk_list){ 0 };
	}
	before = &records.before[work->device % DEVICES];
	if (!take_pending(&first, work->id, 0)) {
		add_before(before, work, launch);
		return false;
	}
	if (first.count)
		gpu_communicator_end(first.call.comm, first.count);
	for (uint32_t i = 0; i < first.parts; i++)
		if (take_pending(&of, work->id, i))
			record_collective(arena, &of.call, first.parts, work,
					  launch, before);
	*before = (struct work_before){ 0 };
	*call = first.call;
	return true;
}
