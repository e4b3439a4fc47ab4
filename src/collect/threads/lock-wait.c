/* SPDX-License-Identifier: BSD-3-Clause */
/* lock-wait.c - see lock-wait.h. */
#include "collect/threads/lock-wait.h"

#include <dlfcn.h>

#include "arch/frame.h"
#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/python/python-gil.h"
#include "collect/regions/caller.h"
#include "collect/regions/region-handler.h"
#include "collect/registry.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/unwind/loaded-object.h"

enum {
	BRIEF_NS = 50000,
	BRIEF_LAST = 16,    /* waits, whose mean is compared with that */
	BRIEF_SOME = 64,    /* from so many on, … */
	BRIEF_SOME_OF = 16, /* … one in 16 is recorded in full, … */
	BRIEF_MANY = 1024,
	BRIEF_MANY_OF = 64 /* … then one in 64; that is its weight */
};

/* Mutable: see lock-wait.h. */
PUBLIC struct contended copse_contended[CONTENDED_LOCKS];
static bool contended_any RESET_AT_FORK; /* some place was used */

/* Distinguishes these call sites; no such name is ever registered. */
static struct region_name no_name = { .text = "[lock]",
				      .class = LIVE_NAME_PHASE };

PUBLIC void copse_lock_init(void)
{
	unwind_hide(__builtin_return_address(0));
	ticks_init();
}

static bool is_lock(enum lock_kind kind)
{
	static const bool are[LOCK_KINDS] = {
#define LOCK_KIND(id, ...) [LOCK_##id] = true,
#define SYNC_KIND(...)
#include "live/locks.def"
	};

	return are[kind];
}

/* Its place, made when it is new; NULL: all are taken. */
static struct contended *contended_of(const void *lock, uintptr_t user)
{
	if (!contended_any)
		__atomic_store_n(&contended_any, true, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < CONTENDED_TRIES; i++) {
		struct contended *c = lock_contended_place(lock, i);
		const void *is = NULL;

		if (__atomic_compare_exchange_n(&c->lock, &is, lock, false,
						__ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			c->user = user;
		if (!is || is == lock)
			return c;
	}
	return NULL;
}

/* Below the call; if no module has the waiting code, ours is its place. */
static live_ref node_of_lock(struct thread *t, live_ref caller,
			     const void *lock, enum lock_kind kind,
			     uintptr_t user)
{
	uintptr_t at = (uintptr_t)lock;
	struct registry_module module;
	uint64_t dynamic = 0;

	if (!caller_module(t, at, &module)) {
		dynamic = LIVE_LOCK_DYNAMIC;
		at = user - 1;
		if (!caller_module(t, at, &module)) {
			at = (uintptr_t)copse_lock_wait;
			if (!caller_module(t, at, &module))
				return 0;
		}
	}
	return tree_child(&t->tree, caller, LIVE_NODE_LOCK, module.index,
			  LIVE_LOCK(kind, at - module.base) | dynamic);
}

static bool prepare_wait(struct lock_wait *w, struct thread *t,
			 const void *lock, enum lock_kind kind)
{
	bool holds = is_lock(kind);
	uintptr_t user = w->call.pc;
	live_ref caller = caller_node(t, &w->call);

	if (!caller)
		return false;
	w->lock = holds ? contended_of(lock, user) : NULL;
	if (w->lock && w->lock->user)
		user = w->lock->user;
	w->call.node = node_of_lock(t, caller, lock, kind, user);
	if (!w->call.node)
		return false;
	w->waits = tree_value(&t->tree, w->call.node,
			      holds ? METRIC_LOCK_WAITS : METRIC_SYNC_WAITS);
	w->waited = tree_value(&t->tree, w->call.node,
			       holds ? METRIC_LOCK_WAIT : METRIC_SYNC_WAIT);
	w->generation = t->generation;
	return w->waits && w->waited;
}

static void begin_known_wait(struct lock_wait *w, struct thread *t)
{
	if (thread_has_tree(t))
		thread_wait_open(t, w->call.node,
				 w->call.counts ? ticks_at(&t->ticks, w->since)
						: w->since);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (region_is_on_stack(t, &w->call))
		t->region = &w->call;
}

static void begin_wait(struct lock_wait *w, struct thread *t)
{
	w->since = time_now(CLOCK_MONOTONIC);
	if (w->lock)
		__atomic_fetch_add(&w->lock->waiters,
				   ((w->since << 16) + 1) * w->weight,
				   __ATOMIC_ACQ_REL);
	begin_known_wait(w, t);
}

static inline struct brief *brief_place(struct thread *t, const void *lock)
{
	uint64_t key = (uintptr_t)lock * 0x9e3779b97f4a7c15u;

	return &t->briefs.of[(key >> 40) % BRIEF_LOCKS];
}

/* One in how many waits is recorded in full. */
static inline uint32_t one_wait_recorded_in(const struct brief *b,
					    const struct thread *t,
					    const void *lock)
{
	if (b->lock != lock || b->mean_ns >= BRIEF_NS ||
	    b->root != t->tree.root || b->generation != t->generation)
		return 1;
	if (b->count < BRIEF_SOME)
		return 1;
	return b->count < BRIEF_MANY ? BRIEF_SOME_OF : BRIEF_MANY_OF;
}

static inline bool is_drawn_to_be_recorded(struct thread *t, uint32_t one_of)
{
	t->briefs.lot = t->briefs.lot * 0x915f77f5u + 0x3c6ef35fu;
	return one_of == 1 || t->briefs.lot < UINT32_MAX / one_of;
}

/* Counted at the path of the last wait recorded in full; no blame. */
static void begin_brief_wait(struct lock_wait *w, struct thread *t,
			     const struct brief *b)
{
	w->weight = 0;
	w->waits = b->waits;
	w->waited = b->waited;
	w->generation = b->generation;
	w->call.node = b->node;
	w->call.counts = t->ticks.is_clock;
	w->since =
		w->call.counts ? timestamp_read() : time_now(CLOCK_MONOTONIC);
	begin_known_wait(w, t);
}

/* For the next wait. */
static void learn_brief(const struct lock_wait *w, struct thread *t,
			uint64_t ns)
{
	struct brief *b = brief_place(t, w->of);
	bool same = b->lock == w->of;
	uint32_t mean = same ? b->mean_ns : 0;
	uint32_t took = ns < UINT32_MAX / 2 ? (uint32_t)ns : UINT32_MAX / 2;

	*b = (struct brief){ .lock = w->of,
			     .waits = w->waits,
			     .waited = w->waited,
			     .root = t->tree.root,
			     .node = w->call.node,
			     .generation = w->generation,
			     .count = same ? b->count + 1 : 1,
			     .mean_ns = mean - mean / BRIEF_LAST +
					took / BRIEF_LAST };
	if (!t->ticks.scale)
		ticks_set(&t->ticks);
}

/* Waits in MPI are MPI's time; waits for the GIL are sampled. */
static bool is_wait_measured(struct thread *t, const struct lock_wait *w,
			     const void *lock)
{
	return w->call.paused_ns >= 0 &&
	       !(t->region && region_known(t, (uintptr_t)w)) &&
	       !python_gil_has(&t->unwinder.python, lock);
}

/* The node is found now: at the end of the wait the lock is held. */
static void begin_full_wait(struct lock_wait *w, const void *lock,
			    enum lock_kind kind)
{
	struct thread *t = thread_use();
	bool prepared;

	if (!t)
		return;
	caller_hold(t);
	prepared = prepare_wait(w, t, lock, kind);
	if (prepared)
		begin_wait(w, t);
	else
		thread_lost(t, LOSS_DROPPED_FULL);
	caller_release(t, w->call.node);
}

PUBLIC void copse_lock_wait(struct lock_wait *w, const void *lock,
			    enum lock_kind kind, const uintptr_t *frame)
{
	struct thread *t = thread_self();
	const struct brief *b;

	w->since = 0;
	if (!t)
		return;
	w->lock = NULL;
	w->of = is_lock(kind) ? lock : NULL;
	w->call = (struct region){ .fp = frame_fp(frame),
				   .pc = frame_pc(frame),
				   .sp = frame_sp(frame),
				   .name = &no_name,
				   .counts = false,
				   .paused_ns = __atomic_load_n(
					   &collect_pauses, __ATOMIC_RELAXED) };
	if (!is_wait_measured(t, w, lock))
		return;
	b = brief_place(t, lock);
	w->weight = w->of ? one_wait_recorded_in(b, t, lock) : 1;
	if (is_drawn_to_be_recorded(t, w->weight))
		begin_full_wait(w, lock, kind);
	else
		begin_brief_wait(w, t, b);
}

/* The new holder is not to blame for the waiting before. */
static void end_wait(const struct lock_wait *w, uint64_t now, bool had)
{
	struct contended *c = w->lock;
	uint64_t one = ((now << 16) + 1) * w->weight;
	uint64_t waiters =
		__atomic_sub_fetch(&c->waiters, one, __ATOMIC_ACQ_REL);

	if (had)
		__atomic_store_n(&c->told, lock_contended_until(waiters, now),
				 __ATOMIC_RELEASE);
}

/* Done first, since the lock is held now. */
static uint64_t waited_ns(const struct lock_wait *w, bool had)
{
	uint64_t now;

	if (w->call.counts)
		return timestamp_read() - w->since;
	now = time_now(CLOCK_MONOTONIC);
	if (w->lock)
		end_wait(w, now, had);
	return now - w->since;
}

PUBLIC void copse_lock_go_on(struct lock_wait *w, bool had)
{
	struct thread *t;
	uint64_t ns;

	if (!w->since)
		return;
	ns = waited_ns(w, had);
	t = thread_self();
	if (!t)
		return;
	if (t->region == &w->call)
		t->region = NULL;
	if (thread_has_tree(t))
		thread_wait_close(t);
	if (w->generation != t->generation ||
	    w->generation != registry_generation() ||
	    w->call.paused_ns !=
		    __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED))
		return;
	if (w->call.counts)
		ns = ticks_took(&t->ticks, ns);
	++*w->waits;
	*w->waited += ns;
	if (w->of)
		learn_brief(w, t, ns);
}

PUBLIC uint64_t copse_lock_release(struct contended *c)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);
	uint64_t waiters = __atomic_load_n(&c->waiters, __ATOMIC_ACQUIRE);
	uint64_t until = lock_contended_until(waiters, now);
	uint64_t told = __atomic_exchange_n(&c->told, until, __ATOMIC_ACQ_REL);
	uint64_t ns = (until - told) << 16 >> 16;

	/* Readers of a rwlock may release it at the same time. */
	return ns >> 47 ? 0 : ns;
}

PUBLIC void copse_lock_blame(const struct contended *c, enum lock_kind kind,
			     uint64_t ns, const uintptr_t *frame,
			     uintptr_t taken)
{
	struct region call = { .inside = taken,
			       .fp = frame_fp(frame),
			       .pc = frame_pc(frame),
			       .sp = frame_sp(frame),
			       .name = &no_name };
	struct thread *t = ns && !collect_paused() ? thread_use() : NULL;
	live_ref node;

	if (!t)
		return;
	caller_hold(t);
	node = caller_context(t, &call);
	if (node)
		node = node_of_lock(t, node, c->lock, kind,
				    c->user ? c->user : call.pc);
	if (!node || !tree_add(&t->tree, node, METRIC_LOCK_BLAME, ns))
		thread_lost(t, LOSS_DROPPED_FULL);
	caller_release(t, t->tree.root);
}

/* Those who waited in the parent are not here. */
AT_FORK static void contended_forked(void)
{
	for (uint32_t i = 0; contended_any && i < CONTENDED_LOCKS; i++) {
		struct contended *c = &copse_contended[i];

		if (c->waiters || c->told)
			c->waiters = c->told = 0;
	}
}

const struct source source_lock_wait = {
	.fork = contended_forked,
};
