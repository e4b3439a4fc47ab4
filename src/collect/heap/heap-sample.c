/* SPDX-License-Identifier: BSD-3-Clause */
/* heap-sample.c - see heap-sample.h. */
#include "collect/heap/heap-sample.h"

#include "arch/timestamp.h"
#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/heap/heap-chance.h"
#include "collect/heap/heap-live.h"
#include "collect/regions/caller.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/unwind/unwind.h"

/* Distinguishes these call sites; no such name is ever registered. */
static struct region_name no_allocation = { .text = "[allocation]",
					    .class = LIVE_NAME_PHASE };

PUBLIC void copse_heap_init(void)
{
	unwind_hide(__builtin_return_address(0));
}

static void draw_next(struct heap_draws *draws, struct thread *t)
{
	double bytes;

	if (!t->heap_lot)
		t->heap_lot = timestamp_read() ^
			      (uint64_t)t->tid * 0x9e3779b97f4a7c15u;
	t->heap_lot += !t->heap_lot;
	draws->interval = (double)heap_live_interval();
	bytes = draws->interval *
		chance_exponential(chance_number(&t->heap_lot));
	/* Rounded up: a block that ends before the drawn place has it not. */
	__atomic_store_n(&draws->left, (uint64_t)bytes + 1, __ATOMIC_RELAXED);
}

/* A thread's first allocation only says how far it is to its first sample. */
PUBLIC double copse_heap_draw(struct heap_draws *draws, uint64_t bytes)
{
	struct thread *t = thread_self();
	double interval = draws->interval;

	if (!t) {
		__atomic_store_n(&draws->left,
				 collector.left_out ? UINT64_MAX : 0,
				 __ATOMIC_RELAXED);
		return 0;
	}
	draw_next(draws, t);
	if (interval > 0)
		return interval;
	if (bytes >= draws->left)
		return draws->interval;
	draws->left -= bytes;
	return 0;
}

PUBLIC void copse_heap_allocated(const void *block, uint64_t bytes,
				 double interval, const uintptr_t *frame)
{
	struct region call = { .fp = frame_fp(frame),
			       .pc = frame_pc(frame),
			       .sp = frame_sp(frame),
			       .name = &no_allocation };
	struct heap_block sample = { .address = (uintptr_t)block,
				     .bytes = bytes,
				     .interval = interval };
	struct thread *t;
	live_ref node;
	uint64_t took;

	if (collect_paused())
		return;
	t = thread_is_own() ? thread_use() : NULL;
	if (!t) {
		heap_live_muted();
		return;
	}
	sample.ns = time_now(CLOCK_MONOTONIC);
	caller_hold(t);
	node = caller_context(t, &call);
	if (!node || !heap_live_add(t, node, &sample))
		thread_lost(t, LOSS_DROPPED_FULL);
	took = heap_live_cost(sample.ns);
	t->live->wrapper_ns += took;
	t->events_ns += took;
	caller_release(t, node);
}

/*
 * The lock makes system calls, so a sandbox has to wait for us, as for all that
 * is busy.  A thread that is not measured frees as well, but in no sandbox.
 */
static bool may_lock(const struct thread *t)
{
	return !thread_is_left && !thread_all_left && (!t || thread_open());
}

PUBLIC bool copse_heap_freed(const void *block, struct heap_block *was)
{
	struct thread *t;
	bool held, had;

	if (!heap_live_has((uintptr_t)block))
		return false;
	t = thread_self();
	held = t && thread_occupy(t);
	had = may_lock(t) && heap_live_take((uintptr_t)block, was);
	if (held)
		thread_release(t);
	return had;
}

PUBLIC void copse_heap_kept(const struct heap_block *was)
{
	struct thread *t = thread_self();
	bool held = t && thread_occupy(t);

	if (may_lock(t))
		heap_live_put_back(was);
	if (held)
		thread_release(t);
}
