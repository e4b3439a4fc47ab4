/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region-handler.h - regions as the collector sees them; region.h is the
 * adapters' side.
 */
#pragma once

#include "base/sigsafe.h"
#include "collect/regions/region.h"
#include "collect/thread.h"

enum {
	REGION_COST_EVERY = 64
};

/* The innermost region that is still alive at stack pointer sp, or NULL. */
SIGSAFE struct region *region_known(struct thread *t, uintptr_t sp);

/* The region's node, found now when it was not yet; 0 and *why else. */
SIGSAFE live_ref region_node(struct thread *t, struct region *r, int *why);

/* The same by walking the stack, whatever is remembered. */
SIGSAFE live_ref region_walk(struct thread *t, struct region *r, int *why);

/* The call below its caller; 0 and *why: none, whatever that path was. */
SIGSAFE live_ref region_child(struct thread *t, live_ref caller, uint32_t name,
			      int *why);

/*
 * What wrappers cost is measured on one call of many, not the first, which is
 * cold.
 */
static inline bool region_is_measured(const struct thread *t)
{
	return t->calls % REGION_COST_EVERY == REGION_COST_EVERY - 1;
}

/* Another stack, a coroutine's, may go without a word. */
static inline bool region_is_on_stack(const struct thread *t,
				      const struct region *r)
{
	return (uintptr_t)r >= t->unwinder.low &&
	       (uintptr_t)r < t->unwinder.high;
}

/*
 * From here on readers see that the thread is in the call, but for calls for
 * files: the last one of MPI or CUDA stays to be seen.  Whom it waits for
 * stays as it was in the last call of the same path, until the adapter says it
 * anew: a reader may look in between.
 */
static inline void region_publish(struct thread *t, struct region *r)
{
	struct live_open_call *open;

	if (!thread_has_tree(t) || r->name->class == LIVE_NAME_IO)
		return;
	open = r->open = &t->live->call;
	/* What follows comes after the end of the call before. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (!r->node || open->node != r->node) {
		open->node = r->node;
		open->comm = open->requests = 0;
		open->peer = LIVE_OPEN_NONE;
		open->direction = LIVE_OPEN_CALL;
	}
	open->begin_ns = r->counts ? ticks_at(&t->ticks, r->start) : r->start;
	open->paused_ns = r->paused_ns;
	__atomic_store_n(&open->sequence, (open->sequence + 1) | 1,
			 __ATOMIC_RELEASE);
}

/* Memory of the live profile for what is kept of MPI calls; 0: none left. */
static inline live_ref region_record(struct thread *t, uint64_t size)
{
	return arena_small(t->tree.arena, &t->wait_events.small, size);
}

/* What is kept of a context beside its metrics; NULL: no memory. */
struct live_call *region_call(struct thread *t, live_ref node);
