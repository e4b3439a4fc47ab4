/* SPDX-License-Identifier: BSD-3-Clause */
/* region.c - known contexts, and what MPI adapters tell. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/control.h"
#include "collect/region-handler.h"
#include "collect/registry.h"
#include "collect/time.h"
#include "collect/mpi-world-id.h"

enum {
	COST_EVERY = 64,
	INTERRUPTED_NS = 10000,
	PER_MILLION = 1000000,
	PATIENCE = 1000, /* times that another thread is let go on */
	/* Words of a site: */
	EXPECTED = 256,     /* of some 200 frames */
	EXPECTED_SOON = 16, /* by then there is no time for more */
};

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

SIGSAFE struct region *known_region(struct thread *t, uintptr_t sp)
{
	if (t->region && is_region_gone(t->region, sp, &t->unwinder))
		t->region = NULL; /* it is never inside another */
	return t->region;
}

/* The call below its caller; 0 and *why: none, whatever that path was. */
SIGSAFE static live_ref below(struct thread *t, live_ref caller, uint32_t name,
			      int *why)
{
	live_ref node = tree_child(&t->tree, caller, LIVE_NODE_NAMED, name, 0);

	if (!node)
		*why = LOSS_DROPPED_FULL;
	return node;
}

/* The region's path, walked; with what was remembered of it checked. */
SIGSAFE static live_ref walked(struct thread *t, struct region *r, int *why)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	uint32_t name;
	live_ref node;

	if (!registry_name(r->name, &name)) {
		*why = registry_full() ? LOSS_DROPPED_FULL : LOSS_DROPPED_BUSY;
		return 0;
	}
	node = thread_path(t, &caller, false, NULL, why);
	return node ? below(t, node, name, why) : 0;
}

SIGSAFE static void verify(struct thread *t, struct region *r)
{
	int why;
	live_ref node = walked(t, r, &why);

	if (node && node != r->node)
		thread_lost(t, LOSS_VERIFY_DIFFERS);
}

SIGSAFE static live_ref new_node(struct thread *t, struct region *r, int *why)
{
	live_ref node = walked(t, r, why);

	if (node)
		r->site = site_learn(t, r, node);
	return node;
}

SIGSAFE live_ref known_node(struct thread *t, struct region *r, int *why)
{
	*why = -1;
	if (!r->node)
		r->node = new_node(t, r, why);
	return r->node;
}

/*
 * What wrappers cost is measured on one call of many, not the first, which is
 * cold.
 */
static bool is_measured(const struct thread *t)
{
	return t->calls % COST_EVERY == COST_EVERY - 1;
}

/*
 * As long as the region is there, the words that its site hangs on stay.  While
 * somebody is busy with the record, its table may be half changed.
 */
static inline void find_call_site(struct thread *t, struct region *r)
{
	uint64_t since = is_measured(t) ? __rdtsc() : 0;

	r->site = NULL;
	if (!t->busy && t->sites)
		r->site = site_find(t->sites, t->tree.root, r, &t->unwinder);
	if (r->site)
		r->node = r->site->node;
	if (since)
		t->entering = __rdtsc() - since;
}

/* Another stack, a coroutine's, may go without a word. */
static inline bool is_on_stack(const struct thread *t, const struct region *r)
{
	return (uintptr_t)r >= t->unwinder.low &&
	       (uintptr_t)r < t->unwinder.high;
}

PUBLIC void copse_region_enter(struct region *r)
{
	struct thread *t = thread_self();

	r->nested = true;
	r->passed = r->drawn = false;
	r->inside = 0;
	r->node = 0;
	r->call = NULL;
	r->end = 0;
	r->paused_ns = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	if (!t || r->paused_ns < 0)
		return;
	/* One at the same place is of a call before this. */
	if (t->region && known_region(t, (uintptr_t)r + 1))
		return;
	r->nested = false;
	find_call_site(t, r);
	r->counts = t->ticks.scale;
	r->start = r->counts ? __rdtsc() : time_now(CLOCK_MONOTONIC);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (is_on_stack(t, r))
		t->region = r;
	if (t->counters)
		counters_enter(t);
}

/* Another thread may have paused, and resumed, meanwhile. */
static __attribute__((noinline)) uint64_t without_pauses(const struct region *r)
{
	int64_t paused = collect_paused_until(r->end_ns) - r->paused_ns;
	uint64_t ns = r->end_ns - r->start_ns;

	if (paused <= 0)
		return ns;
	return ns > (uint64_t)paused ? ns - (uint64_t)paused : 0;
}

static inline uint64_t took(const struct region *r)
{
	if (r->paused_ns == __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED))
		return r->end_ns - r->start_ns;
	return without_pauses(r);
}

/* When the region was entered and stopped, and how long that took. */
static void settle_time(struct thread *t, struct region *r)
{
	struct ticks *ticks = &t->ticks;

	if (!r->end)
		r->end = __rdtsc();
	if (r->end - ticks->counter > TICKS_TRUSTED)
		ticks_set(ticks);
	if (!r->counts) {
		ticks_set(ticks);
		r->start_ns = r->start;
		r->end_ns = time_now(CLOCK_MONOTONIC);
	} else {
		r->start_ns = ticks_at(ticks, r->start);
		r->end_ns = r->start_ns + ticks_took(ticks, r->end - r->start);
	}
	r->ns = took(r);
}

static live_ref small_record(struct thread *t, uint64_t size)
{
	return arena_small(t->tree.arena, &t->parts.small, size);
}

/* What is kept of the region's context; NULL: no memory. */
static struct live_call *call_of(struct thread *t, struct region *r,
				 live_ref node)
{
	uint64_t *cell;
	live_ref ref;

	if (r->site && r->site->call)
		return r->site->call;
	cell = tree_value(&t->tree, node, LIVE_CELL_CALL);
	if (cell && !*cell) {
		ref = small_record(t, sizeof(struct live_call));
		if (!ref)
			return NULL;
		((struct live_call *)arena_at(t->tree.arena, ref))->min_ns =
			UINT64_MAX;
		((struct live_call *)arena_at(t->tree.arena, ref))->root =
			LIVE_NO_ROOT;
		__atomic_store_n(cell, ref, __ATOMIC_RELEASE);
	}
	if (!cell)
		return NULL;
	r->call = arena_at(t->tree.arena, (live_ref)*cell);
	if (r->site)
		r->site->call = r->call;
	return r->call;
}

/* 0; 1; 2 to 3; 4 to 7; … */
static uint32_t size_class(uint64_t bytes)
{
	uint32_t class = bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;

	return class < LIVE_SIZES ? class : LIVE_SIZES - 1;
}

static void count_size(struct thread *t, struct live_call *c, uint64_t bytes,
		       uint64_t ns)
{
	struct live_size *size;

	if (!c->sizes && bytes)
		__atomic_store_n(&c->sizes,
				 small_record(t, LIVE_SIZES * sizeof(*size)),
				 __ATOMIC_RELEASE);
	if (!c->sizes)
		return;
	size = arena_at(t->tree.arena, c->sizes);
	size += size_class(bytes);
	size->calls++;
	size->ns += ns;
}

static void set_place(struct live_call *c, const struct region_values *v)
{
	if (!c->comm)
		c->comm = v->comm;
	else if (v->comm && v->comm != c->comm)
		c->comm = LIVE_SEVERAL_COMMS;
	if (c->root == LIVE_NO_ROOT)
		c->root = v->root;
	else if (v->root != c->root)
		c->root = LIVE_SEVERAL_ROOTS;
}

static void count_values(struct thread *t, struct live_call *c, uint64_t ns,
			 const struct region_values *v)
{
	uint64_t bytes = v->sent > v->received ? v->sent : v->received;

	c->calls++;
	c->ns += ns;
	if (ns < c->min_ns)
		c->min_ns = ns;
	if (ns > c->max_ns)
		c->max_ns = ns;
	c->sent += v->sent;
	c->received += v->received;
	c->moved += bytes;
	if (c->comm != v->comm || c->root != v->root)
		set_place(c, v);
	count_size(t, c, bytes, ns);
}

/*
 * A poll that was passed by, and is more than counted: when it ended is known.
 * What it took is in what those take that were drawn.
 */
static void complete_passed(struct thread *t, struct region *r)
{
	if (!r->end)
		r->end = __rdtsc();
	r->start = r->end;
	r->counts = true;
	r->paused_ns = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	r->site = NULL;
	r->call = NULL;
	t->polls.passed++;
}

static void count_passed(struct live_call *c, const struct region_values *v)
{
	c->calls++;
	c->passed++;
	if (c->comm != v->comm)
		set_place(c, v);
}

/* Does what wrappers do take more than it may? */
static bool is_dear(const struct thread *t)
{
	uint64_t cost = t->live->wrapper_ns - t->events_ns;

	return cost >
	       t->live->cpu_ns / PER_MILLION * collect_settings()->budget;
}

/* Events are counted at both ends of a call, so none is passed by. */
static bool is_thinned(const struct thread *t)
{
	return collect_settings()->budget && t->live->cpu_ns >= PER_MILLION &&
	       t->ticks.scale && !t->counters && is_dear(t);
}

/* It stands for those that were passed by. */
static void count_sampled_poll(struct thread *t, struct region *r)
{
	uint64_t gap = t->polls.last
			       ? ticks_took(&t->ticks, r->start - t->polls.last)
			       : 0;

	polls_drew(&t->polls, r->call, r->ns, gap);
}

static void count_poll(struct thread *t, struct region *r)
{
	struct polls *p = &t->polls;

	if (r->drawn)
		count_sampled_poll(t, r);
	if (!r->passed && r->ns < LIVE_LONG_NS)
		polls_took(p, r->ns);
	r->call->excess_ns += p->excess_ns;
	p->excess_ns = p->last = 0;
	polls_thin(p, is_thinned(t));
	if (p->left && r->site && is_on_stack(t, r))
		polls_learn(p, r->site, r->call);
}

/* Time in MPI until now, with what was not timed. */
static void count_mpi(struct thread *t, struct region *r)
{
	struct polls *p = &t->polls;

	if (p->passed) {
		t->live->wrapper_ns += ticks_took(
			&t->ticks, (uint64_t)p->passed * POLLS_TICKS);
		t->mpi_ns += polls_settle(p, r->start_ns);
	}
	p->since_ns = r->end_ns;
	p->since_pauses = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	if (!r->name->polls)
		polls_forget(p);
	if (t->open) {
		t->open = false;
		t->live->open_ns = 0;
	}
	t->mpi_ns += r->ns;
	r->mpi_ns = t->mpi_ns;
	r->thread = t->index;
	t->parts.wanted = true;
}

/*
 * Other threads may be at the lists, and without a core.  Unlike a sample's,
 * this time cannot be given to the next one: it is waited for.
 */
static __attribute__((noinline)) live_ref
node_in_time(struct thread *t, struct region *r, int *why)
{
	live_ref node = known_node(t, r, why);

	for (int i = 0; i < PATIENCE && !node && *why == LOSS_DROPPED_BUSY;
	     i++) {
		sched_yield();
		node = known_node(t, r, why);
	}
	return node;
}

static void count_call(struct thread *t, struct region *r,
		       const struct region_values *v)
{
	int why = -1;
	live_ref node;

	settle_time(t, r);
	node = r->node ? r->node : node_in_time(t, r, &why);
	if (t->unwinder.verify && (r->site || r->passed) && !r->inside)
		verify(t, r);
	if (r->name->class == LIVE_NAME_MPI)
		count_mpi(t, r);
	if (!node) {
		thread_lost(t, (enum loss)why);
		return;
	}
	if (history_wants(t->history, r->ns))
		history_call(t->history, node, r->start_ns, r->end_ns);
	r->call = call_of(t, r, node);
	if (!r->call)
		thread_lost(t, LOSS_DROPPED_FULL);
	else if (r->passed)
		count_passed(r->call, v);
	else
		count_values(t, r->call, r->ns, v);
	if (r->call && r->name->polls)
		count_poll(t, r);
	if (t->counters)
		counters_leave(t, node);
}

/*
 * A call that took longer than any does was interrupted, and would stand for as
 * many.
 */
static void count_call_cost(struct thread *t, uint64_t since)
{
	bool measured = is_measured(t);
	uint64_t took;

	t->calls++;
	if (!measured)
		return;
	took = ticks_took(&t->ticks, __rdtsc() - since + t->entering);
	if (took < INTERRUPTED_NS)
		t->live->wrapper_ns += COST_EVERY * took;
}

/* Leaving is part of the call, for whom the time of a late tick is. */
static void settle_late_signal(struct thread *t, live_ref node)
{
	if (!t->late)
		return;
	if (t->ready && node) {
		known_late(t, node);
	} else {
		t->late = TICK_FOREIGN;
		thread_lost(t, LOSS_DROPPED_BUSY);
	}
}

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
	node = node ? below(t, node, name, why) : 0;
	if (node && beyond.lasting)
		r->site = site_learn_beyond(t, r, node, &beyond);
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
		sites ? site_find(sites, t->tree.root, r, &t->unwinder) : NULL;

	r->site = s;
	if (!s || t->unwinder.verify)
		return false;
	r->node = s->node;
	r->pc = s->beyond.pc;
	r->sp = s->beyond.sp;
	r->fp = s->beyond.fp;
	return true;
}

/* As node_in_time() does. */
static __attribute__((noinline)) void walk_in_time(struct thread *t,
						   struct region *r)
{
	const struct region_frame as_called = { r->pc, r->sp, r->fp };
	live_ref known = r->site ? r->site->node : 0;
	enum loss busy = LOSS_DROPPED_BUSY;
	int why = LOSS_DROPPED_BUSY;

	for (int i = 0; i < PATIENCE && why == LOSS_DROPPED_BUSY; i++) {
		if (i)
			sched_yield();
		r->pc = as_called.pc;
		r->sp = as_called.sp;
		r->fp = as_called.fp;
		r->site = NULL;
		r->node = 0;
		why = -1;
		if (thread_ready(t, &busy))
			r->node = node_beyond(t, r, &why);
		else
			why = (int)busy;
	}
	if (known && r->node && r->node != known)
		thread_lost(t, LOSS_VERIFY_DIFFERS);
	if (why >= 0)
		thread_lost(t, (enum loss)why);
}

/* The sample of a tick that comes meanwhile is the call's. */
static void enter_beyond(struct thread *t, struct region *r)
{
	t->leaves = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	r->site = NULL;
	r->node = 0;
	if (!thread_has_tree(t) || !recall_beyond(t, r))
		walk_in_time(t, r);
	if (r->node && r->inside >= t->unwinder.low &&
	    r->inside < t->unwinder.high && r->sp > r->inside)
		t->region = r;
	t->leaves = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	settle_late_signal(t, r->node);
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
	r->nested = r->passed = r->drawn = false;
	r->end = 0;
	r->paused_ns = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	r->call = NULL;
}

/*
 * A launch of CUDA leaves little of ours in the caches, and the thousand calls
 * of a framework's step leave little of a path until the next step; but
 * programs call in the order they called in before.  So the words of the path
 * that is next, `most` of them, are fetched while the program works.
 */
static inline void expect_next(struct thread *t, uint32_t most)
{
	const struct site *next;

	if (!t->sites_beyond)
		return;
	next = site_next(t->sites_beyond);
	for (uint32_t i = 0; i < next->count && i < most; i += SITE_LINE)
		__builtin_prefetch(next->words + i);
	__builtin_prefetch(next->call, 1);
}

PUBLIC struct region *copse_region_beyond(struct region_name *name,
					  const struct region_frame *caller,
					  uintptr_t inside)
{
	struct thread *t = thread_self();
	struct region *r;

	if (t)
		expect_next(t, EXPECTED_SOON);
	if (!t || collect_paused() ||
	    (t->region && known_region(t, caller->sp)))
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
	r->counts = t->ticks.scale;
	r->start = r->counts ? __rdtsc() : time_now(CLOCK_MONOTONIC);
	return r->node ? r : NULL;
}

/* As node_in_time() does. */
static __attribute__((noinline)) bool prepare_in_time(struct thread *t,
						      enum loss *why)
{
	bool ready = thread_prepare(t, why);

	for (int i = 0; i < PATIENCE && !ready && *why == LOSS_DROPPED_BUSY;
	     i++) {
		sched_yield();
		ready = thread_prepare(t, why);
	}
	return ready;
}

/* What was found in another profile than this, a fork ago, is forgotten. */
static inline bool still_ready(struct thread *t, struct region *r,
			       enum loss *why)
{
	if (thread_has_tree(t))
		return true;
	r->node = 0;
	r->site = NULL;
	return prepare_in_time(t, why);
}

PUBLIC void copse_region_leave(struct region *r,
			       const struct region_values *values)
{
	struct thread *t = thread_self();
	enum loss why;

	if (r->nested || !t)
		return;
	r->ns = 0;
	if (!thread_occupy(t)) {
		thread_lost(t, LOSS_DROPPED_BUSY);
		return;
	}
	t->leaves = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (r->passed)
		complete_passed(t, r);
	if (still_ready(t, r, &why)) {
		count_call(t, r, values);
		if (r->counts)
			count_call_cost(t, r->end);
	} else {
		thread_lost(t, why);
	}
	if (r->inside)
		expect_next(t, EXPECTED);
	if (t->region == r)
		t->region = NULL;
	t->leaves = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	settle_late_signal(t, r->node);
	thread_release(t);
}

PUBLIC void copse_poll_leave(struct region *r, live_ref comm)
{
	const struct region_values values = { .comm = comm,
					      .root = LIVE_NO_ROOT };

	copse_region_leave(r, &values);
}

/* So many calls; the time of each stays a mean one of its size. */
static void move_sizes(struct thread *t, struct live_call *c, uint64_t from,
		       uint64_t to, uint64_t times)
{
	struct live_size *sizes, *old;
	uint64_t ns;

	if (!c->sizes || size_class(from) == size_class(to))
		return;
	sizes = arena_at(t->tree.arena, c->sizes);
	old = &sizes[size_class(from)];
	if (times > old->calls)
		times = old->calls;
	if (!times)
		return;
	ns = old->ns / old->calls * times;
	old->calls -= times;
	old->ns -= ns;
	sizes[size_class(to)].calls += times;
	sizes[size_class(to)].ns += ns;
}

PUBLIC void copse_region_arrived(struct live_call *call, uint64_t posted,
				 uint64_t bytes, uint64_t times)
{
	struct thread *t = thread_self();
	uint64_t less = times * posted - bytes;

	if (!t)
		return;
	call->received -= less;
	call->moved -= less;
	move_sizes(t, call, posted, bytes / times, times);
}

PUBLIC void copse_region_request(struct live_call *call, uint64_t open_ns,
				 uint64_t outside_ns)
{
	call->requests++;
	call->open_ns += open_ns;
	call->outside_ns += outside_ns;
}

PUBLIC const uint32_t *copse_part_level(void)
{
	return &parts_level;
}

PUBLIC void copse_part_add(const struct live_part *part)
{
	struct thread *t = thread_use();

	if (!t)
		return;
	parts_add(t, part);
	thread_release(t);
}

static live_ref put_text(const char *text)
{
	struct arena *arena = registry_open();
	size_t length = strlen(text);
	live_ref ref =
		arena_pages(arena, sizeof(struct live_text) + length + 1);
	struct live_text *to;

	if (!ref)
		return 0;
	to = arena_at(arena, ref);
	memcpy(to->text, text, length);
	to->length = (uint32_t)length;
	return ref;
}

PUBLIC void copse_mpi_init(int rank, int size, const char *library)
{
	struct thread *t = thread_use();
	struct live_header *header;

	/* What wrappers do outside of regions is their caller's. */
	unwind_hide(__builtin_return_address(0));
	if (!t) {
		if (collector.left_out)
			control_left_out(collector.left_out, rank);
		return;
	}
	header = registry_header();
	header->mpi_init_paused_ns = control_paused_ns();
	header->rank = rank;
	header->size = size;
	header->world_id = world_id(size, header->start_real_ns);
	header->mpi_thread = t->index;
	header->mpi_library = put_text(library);
	ticks_init();
	parts_init(size);
	header->mpi_init_ns = time_now(CLOCK_MONOTONIC);
	thread_release(t);
}

PUBLIC void copse_mpi_finalize(void)
{
	struct live_header *header = registry_header();

	if (!header)
		return;
	header->mpi_finalize_ns = time_now(CLOCK_MONOTONIC);
	header->mpi_finalize_paused_ns = control_paused_ns();
}

PUBLIC void copse_mpi_control(bool on)
{
	control_mpi(on);
}

PUBLIC void copse_mpi_abort(int code)
{
	struct live_header *header = registry_header();

	if (header)
		header->mpi_error = (uint32_t)code + 1;
}

PUBLIC struct live_comm *copse_comm_new(live_ref *ref)
{
	struct thread *t = thread_use();
	struct live_comm *comm = NULL;

	if (!t)
		return NULL;
	*ref = registry_comm();
	if (*ref)
		comm = arena_at(t->tree.arena, *ref);
	thread_release(t);
	return comm;
}

PUBLIC void copse_comm_name(struct live_comm *comm, const char *name)
{
	struct thread *t = thread_use();

	if (!t)
		return;
	comm->name = put_text(name);
	thread_release(t);
}

PUBLIC struct live_peer *copse_peer_new(uint32_t rank)
{
	struct thread *t = thread_use();
	struct live_peer *peer = NULL;
	live_ref ref;

	if (!t)
		return NULL;
	ref = small_record(t, sizeof(*peer));
	if (ref) {
		peer = arena_at(t->tree.arena, ref);
		peer->rank = rank;
		peer->next = t->live->peers;
		__atomic_store_n(&t->live->peers, ref, __ATOMIC_RELEASE);
	}
	thread_release(t);
	return peer;
}
