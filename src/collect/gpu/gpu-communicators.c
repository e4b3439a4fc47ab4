/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-communicators.c - see gpu-communicators.h. */
#include "collect/gpu/gpu-communicators.h"

#include "base/hidden.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/source.h"
#include "collect/time.h"

enum {
	COMMUNICATORS = 64,
	PAIRS = 4096, /* a power of two */
	PAIR_PROBES = 64
};

/* Mutable: of one live profile, under the lock. */
static struct {
	struct lock lock;
	uint32_t generation, count;
	struct arena_small small;
	struct live_communicator *at[COMMUNICATORS]; /* in the profile */
	struct { /* messages of a pair of ranks */
		uint64_t pair, count;
	} pairs[PAIRS];
} communicators RESET_AT_FORK;

static struct region_name function_names[] = {
#define COLLECTIVE(id, word, name)                                             \
	{ .text = (name), .class = LIVE_NAME_GPU_CALL },
#include "base/collectives.def"
#undef COLLECTIVE
};

static struct live_communicator *find_communicator(uint64_t id)
{
	if (communicators.generation != registry_generation()) {
		communicators.generation = registry_generation();
		communicators.count = 0;
		communicators.small = (struct arena_small){ 0 };
	}
	for (uint32_t i = 0; i < communicators.count; i++)
		if (communicators.at[i]->id == id)
			return communicators.at[i];
	return NULL;
}

static struct live_communicator *
put_communicator(struct arena *arena, uint64_t id, uint32_t size, uint32_t rank)
{
	live_ref *head = &registry_header()->gpu_lists.communicators, ref;
	struct live_communicator *c = find_communicator(id);

	if (c)
		return c;
	if (communicators.count == COMMUNICATORS)
		return NULL;
	ref = arena_small(arena, &communicators.small, sizeof(*c));
	if (!ref)
		return NULL;
	c = arena_at(arena, ref);
	c->id = id;
	c->size = size;
	c->rank = rank;
	c->next = *head;
	__atomic_store_n(head, ref, __ATOMIC_RELEASE);
	communicators.at[communicators.count++] = c;
	return c;
}

/* What it is and where it was launched is there before its number is. */
static void put_announced(struct live_communicator *c,
			  const struct gpu_collective *call, live_ref node)
{
	struct live_announced *to = &c->calls[c->announced % LIVE_ANNOUNCED];

	*to = (struct live_announced){
		.ns = time_now(CLOCK_MONOTONIC),
		.bytes = call->bytes,
		.node = node,
	};
	if (!registry_name(&function_names[call->function], &to->name))
		to->node = 0;
	__atomic_store_n(&c->announced, c->announced + 1, __ATOMIC_RELEASE);
}

void gpu_communicator_open(uint64_t id, uint32_t size, uint32_t rank)
{
	struct arena *arena = registry_await();

	if (!arena)
		return;
	lock_take(&communicators.lock);
	put_communicator(arena, id, size, rank);
	lock_give(&communicators.lock);
}

uint64_t gpu_communicator_announce(const struct gpu_collective *call,
				   live_ref node)
{
	struct arena *arena = registry_await();
	struct live_communicator *c;
	uint64_t count = 0;

	if (!arena)
		return 0;
	lock_take(&communicators.lock);
	c = put_communicator(arena, call->comm, call->size, call->rank);
	if (c) {
		put_announced(c, call, node);
		count = c->announced;
	}
	lock_give(&communicators.lock);
	return count;
}

uint64_t gpu_communicator_message(uint64_t pair)
{
	uint64_t number = 0;

	lock_take(&communicators.lock);
	for (uint32_t i = 0; i < PAIR_PROBES && !number; i++) {
		uint32_t at = (uint32_t)(pair >> 32) + i;
		uint64_t *of = &communicators.pairs[at % PAIRS].pair;

		if (!*of)
			*of = pair;
		if (*of == pair)
			number = ++communicators.pairs[at % PAIRS].count;
	}
	lock_give(&communicators.lock);
	return number;
}

void gpu_communicator_end(uint64_t comm, uint64_t count)
{
	struct live_communicator *c;

	lock_take(&communicators.lock);
	c = find_communicator(comm);
	if (c && c->ended < count)
		__atomic_store_n(&c->ended, count, __ATOMIC_RELEASE);
	lock_give(&communicators.lock);
}

AT_FORK static void gpu_communicators_forked(void)
{
	lock_open(&communicators.lock);
}

const struct source source_gpu_communicators = {
	.fork = gpu_communicators_forked,
};
