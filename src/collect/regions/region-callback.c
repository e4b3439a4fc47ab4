/* SPDX-License-Identifier: BSD-3-Clause */
/* region-callback.c - regions of functions that a library calls back. */
#include <sched.h>

#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/regions/region-handler.h"
#include "collect/registry.h"
#include "collect/sampling/sample.h"
#include "collect/time.h"

enum {
	EXPECTED_SOON = 16 /* words; by then there is no time for more */
};

/* A call that nobody knows the place of is below a node of its own. */
static live_ref node_beyond(struct thread *t, struct region *r, int *why)
{
	struct cfi_frame callback = { r->pc, r->sp, r->fp };
	struct unwind_beyond beyond;
	live_ref node = 0;
	uint32_t name;

	*why = registry_full() ? LOSS_DROPPED_FULL : LOSS_DROPPED_BUSY;
	if (!registry_name(r->name, &name))
		return 0;
	*why = LOSS_DROPPED_FULL;
	if (unwind_beyond(&t->unwinder, &callback, r->inside, &beyond)) {
		node = thread_path(t, &beyond.at, false, NULL, why);
	} else {
		*why = LOSS_PARTIAL_STACK;
		node = tree_child(&t->tree, t->tree.root, LIVE_NODE_PARTIAL,
				  LOSS_PARTIAL_STACK, 0);
		if (!node)
			*why = LOSS_DROPPED_FULL;
		beyond = (struct unwind_beyond){ .at = callback };
	}
	node = node ? region_child(t, node, name, why) : 0;
	if (node && beyond.lasting)
		r->site = callsite_learn_beyond(t, r, node, &beyond);
	r->pc = beyond.at.pc;
	r->sp = beyond.at.sp;
	r->fp = beyond.at.fp;
	return node;
}

/* The usual case: it was called from there before. */
static inline bool recall_beyond(struct thread *t, struct region *r)
{
	struct sites *sites = t->sites_beyond;
	struct site *s =
		sites ? callsite_find(sites, t->tree.root, r, &t->unwinder)
		      : NULL;

	r->site = s;
	if (!s || t->unwinder.verify)
		return false;
	r->node = s->node;
	r->pc = s->beyond.pc;
	r->sp = s->beyond.sp;
	r->fp = s->beyond.fp;
	return true;
}

static __attribute__((noinline)) void walk_beyond(struct thread *t,
						  struct region *r)
{
	live_ref known = r->site ? r->site->node : 0;
	enum loss none = LOSS_DROPPED_BUSY;
	int why = -1;

	r->site = NULL;
	if (thread_await(t, &none))
		r->node = node_beyond(t, r, &why);
	else
		why = (int)none;
	if (known && r->node && r->node != known)
		thread_lost(t, LOSS_VERIFY_DIFFERS);
	if (why >= 0)
		thread_lost(t, (enum loss)why);
}

/* The sample of a timer signal that comes meanwhile is the call's. */
static void enter_beyond(struct thread *t, struct region *r)
{
	enum loss none;

	t->leaves = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	r->site = NULL;
	r->node = 0;
	if (t->starter.main && thread_await(t, &none))
		thread_starter_follow(t);
	if (!thread_has_tree(t) || !recall_beyond(t, r))
		walk_beyond(t, r);
	if (r->node && r->inside >= t->unwinder.low &&
	    r->inside < t->unwinder.high && r->sp > r->inside)
		t->region = r;
	t->leaves = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sample_settle(t, r->node);
}

/* One by one: all that is not set here is set before it is read. */
static void begin_beyond(struct region *r, struct region_name *name,
			 const struct region_frame *caller, uintptr_t inside)
{
	r->pc = caller->pc;
	r->sp = caller->sp;
	r->fp = caller->fp;
	r->inside = inside;
	r->name = name;
	r->nested = r->skipped = r->sampled = r->in_vain = false;
	r->open = NULL;
	r->end = 0;
	r->paused_ns = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	r->call = NULL;
}

PUBLIC struct region *copse_region_beyond(struct region_name *name,
					  const struct region_frame *caller,
					  uintptr_t inside)
{
	struct thread *t = thread_self();
	struct region *r;

	if (t)
		callsites_expect(t->sites_beyond, EXPECTED_SOON);
	if (!t || collect_paused() ||
	    (t->region && region_known(t, caller->sp)))
		return NULL;
	if (!thread_occupy(t)) {
		thread_lost(t, LOSS_DROPPED_BUSY);
		return NULL;
	}
	r = &t->beyond;
	begin_beyond(r, name, caller, inside);
	enter_beyond(t, r);
	thread_release(t);
	t->entering = 0;
	r->counts = t->ticks.is_clock;
	r->start = r->counts ? timestamp_read() : time_now(CLOCK_MONOTONIC);
	if (!r->node)
		return NULL;
	region_publish(t, r);
	return r;
}
