/* SPDX-License-Identifier: BSD-3-Clause */
/* region.c - where a region is: entered, and found by the handler. */
#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/regions/region-handler.h"
#include "collect/registry.h"
#include "collect/sampling/sample.h"
#include "collect/source.h"
#include "collect/time.h"

/*
 * A wrapper that was left by a longjmp or an exception leaves its region
 * behind.  It is gone when the stack ends above it, or another call has taken
 * the wrapper's place: then nothing in it needs to be true any more.
 */
SIGSAFE static bool is_region_gone(const struct region *r, uintptr_t sp,
				   const struct unwinder *u)
{
	uintptr_t at = r->inside ? r->inside : (uintptr_t)r;
	uintptr_t slot = r->sp - sizeof(slot);

	if (sp < u->low || sp >= u->high)
		return false;
	return at < sp || slot <= at || slot > u->high - sizeof(slot) ||
	       slot % sizeof(slot) || *(const uintptr_t *)slot != r->pc;
}

SIGSAFE struct region *region_known(struct thread *t, uintptr_t sp)
{
	if (t->region && is_region_gone(t->region, sp, &t->unwinder))
		t->region = NULL; /* it is never inside another */
	return t->region;
}

SIGSAFE live_ref region_child(struct thread *t, live_ref caller, uint32_t name,
			      int *why)
{
	live_ref node = tree_child(&t->tree, caller, LIVE_NODE_NAMED, name, 0);

	if (!node)
		*why = LOSS_DROPPED_FULL;
	return node;
}

SIGSAFE live_ref region_walk(struct thread *t, struct region *r, int *why)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	uint32_t name;
	live_ref node;

	if (!registry_name(r->name, &name)) {
		*why = registry_full() ? LOSS_DROPPED_FULL : LOSS_DROPPED_BUSY;
		return 0;
	}
	node = thread_path(t, &caller, false, NULL, why);
	return node ? region_child(t, node, name, why) : 0;
}

SIGSAFE static live_ref new_node(struct thread *t, struct region *r, int *why)
{
	live_ref node = region_walk(t, r, why);

	if (node)
		r->site = callsite_learn(t, r, node);
	return node;
}

SIGSAFE live_ref region_node(struct thread *t, struct region *r, int *why)
{
	*why = -1;
	if (!r->node)
		r->node = new_node(t, r, why);
	return r->node;
}

/*
 * As long as the region is there, the words that its site hangs on stay.  While
 * somebody is busy with the record, its table may be half changed.
 */
static inline void find_call_site(struct thread *t, struct region *r)
{
	uint64_t since = region_is_measured(t) ? timestamp_read() : 0;

	r->site = NULL;
	if (!t->busy && t->sites)
		r->site =
			callsite_find(t->sites, t->tree.root, r, &t->unwinder);
	if (r->site)
		r->node = r->site->node;
	if (since)
		t->entering = timestamp_read() - since;
}

/*
 * A new call path is walked before its call and not after it, so that a call
 * that never ends has one.
 */
static __attribute__((noinline)) void find_path(struct thread *t,
						struct region *r)
{
	enum loss none;
	int why;

	if (!thread_occupy(t))
		return;
	t->leaves = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (thread_await(t, &none))
		region_node(t, r, &why);
	t->leaves = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sample_settle(t, r->node);
	thread_release(t);
}

PUBLIC void copse_region_enter(struct region *r)
{
	struct thread *t = thread_self();

	r->nested = true;
	r->skipped = r->sampled = r->in_vain = false;
	r->open = NULL;
	r->inside = 0;
	r->node = 0;
	r->call = NULL;
	r->end = 0;
	r->paused_ns = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	if (!t || r->paused_ns < 0)
		return;
	/* One at the same place is of a call before this. */
	if (t->region && region_known(t, (uintptr_t)r + 1))
		return;
	r->nested = false;
	find_call_site(t, r);
	if (!r->node)
		find_path(t, r);
	r->counts = t->ticks.is_clock;
	r->start = r->counts ? timestamp_read() : time_now(CLOCK_MONOTONIC);
	region_publish(t, r);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (region_is_on_stack(t, r))
		t->region = r;
	if (t->counters)
		counters_enter(t);
}

/*
 * A handler that interrupted a call may fork.  The call is the parent's, and
 * what was found for it is in the parent's profile.
 */
AT_FORK static void leave_call_to_parent(struct thread *t)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	struct region *r = t->region ? region_known(t, sp) : NULL;

	t->region = NULL;
	if (!r)
		return;
	r->nested = true;
	r->skipped = false;
	r->node = 0;
	r->site = NULL;
	r->open = NULL;
	r->call = NULL;
}

const struct source source_region = {
	.reset = leave_call_to_parent,
};
