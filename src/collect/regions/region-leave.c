/* SPDX-License-Identifier: BSD-3-Clause */
/* region-leave.c - what a call took and moved, counted where it was made. */
#include <sched.h>

#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/regions/region-handler.h"
#include "collect/registry.h"
#include "collect/sampling/sample.h"
#include "collect/regions/stamps.h"
#include "collect/time.h"

enum {
	INTERRUPTED_NS = 10000,
	PER_MILLION = 1000000,
	EXPECTED = 256, /* words of a site, of some 200 frames */
};

/* Another thread may have paused, and resumed, meanwhile. */
static __attribute__((noinline)) uint64_t without_pauses(const struct region *r)
{
	int64_t paused = collect_paused_until(r->end_ns) - r->paused_ns;
	uint64_t ns = r->end_ns - r->start_ns;

	if (paused <= 0)
		return ns;
	return ns > (uint64_t)paused ? ns - (uint64_t)paused : 0;
}

static inline uint64_t time_taken(const struct region *r)
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
		r->end = timestamp_read();
	if (!ticks->scale || r->end - ticks->counter > TICKS_TRUSTED)
		ticks_set(ticks);
	if (!r->counts) {
		r->start_ns = r->start;
		r->end_ns = time_now(CLOCK_MONOTONIC);
	} else {
		r->start_ns = ticks_at(ticks, r->start);
		r->end_ns = r->start_ns + ticks_took(ticks, r->end - r->start);
	}
	r->ns = time_taken(r);
}

struct live_call *region_call(struct thread *t, live_ref node)
{
	uint64_t *cell = tree_value(&t->tree, node, LIVE_CELL_CALL);
	struct live_call *call;
	live_ref ref;

	if (cell && !*cell) {
		ref = region_record(t, sizeof(struct live_call));
		if (!ref)
			return NULL;
		call = arena_at(t->tree.arena, ref);
		call->min_ns = UINT64_MAX;
		call->root = LIVE_NO_ROOT;
		__atomic_store_n(cell, ref, __ATOMIC_RELEASE);
	}
	return cell ? arena_at(t->tree.arena, (live_ref)*cell) : NULL;
}

/* What is kept of the region's context; NULL: no memory. */
static struct live_call *call_of(struct thread *t, struct region *r,
				 live_ref node)
{
	if (r->site && r->site->call)
		return r->site->call;
	r->call = region_call(t, node);
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
				 region_record(t, LIVE_SIZES * sizeof(*size)),
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
 * A poll that was skipped, and is more than counted: when it ended is known.
 * What it took is in what those take that were drawn.
 */
static void complete_skipped(struct thread *t, struct region *r)
{
	if (!r->end)
		r->end = timestamp_read();
	r->counts = t->ticks.is_clock;
	r->start = r->counts ? r->end : time_now(CLOCK_MONOTONIC);
	r->paused_ns = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	r->site = NULL;
	r->call = NULL;
	t->polls.skipped++;
}

static void count_skipped_poll(struct live_call *c,
			       const struct region_values *v)
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

/* Events are counted at both ends of a call, so none is skipped. */
static bool is_thinned(const struct thread *t)
{
	return collect_settings()->budget && t->live->cpu_ns >= PER_MILLION &&
	       t->ticks.scale && !t->counters && is_dear(t);
}

/* It stands for those that were skipped. */
static void count_sampled_poll(struct thread *t, struct region *r)
{
	polls_sampled(&t->polls, r->call, r->ns,
		      ticks_took(&t->ticks, t->polls.gap));
}

static void count_poll(struct thread *t, struct region *r)
{
	struct polls *p = &t->polls;

	if (r->sampled)
		count_sampled_poll(t, r);
	if (!r->skipped && r->ns < LIVE_LONG_NS)
		polls_took(p, r->ns);
	r->call->excess_ns += p->excess_ns;
	p->excess_ns = p->last = 0;
	polls_thin(p, is_thinned(t));
	if (p->left && r->site && region_is_on_stack(t, r))
		polls_learn(p, r->site, r->call);
}

/* Time in MPI until now, with what was not timed. */
static void count_mpi(struct thread *t, struct region *r)
{
	struct polls *p = &t->polls;

	if (p->skipped) {
		t->live->wrapper_ns += ticks_took(
			&t->ticks, (uint64_t)p->skipped * POLLS_TICKS);
		t->mpi_ns += polls_settle(p, r->start_ns);
	}
	p->since_ns = r->end_ns;
	p->since_pauses = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	if (!r->name->polls)
		polls_forget(p);
	t->mpi_ns += r->ns;
	r->mpi_ns = t->mpi_ns;
	r->thread = t->index;
	t->wait_events.wanted = true;
}

SIGSAFE static void verify_node(struct thread *t, struct region *r)
{
	int why;
	live_ref node = region_walk(t, r, &why);

	if (node && node != r->node)
		thread_lost(t, LOSS_VERIFY_DIFFERS);
}

static void keep_history(struct thread *t, const struct region *r,
			 live_ref node)
{
	if (history_has_hole(t->history, r->start_ns, r->ns))
		history_back(t->history, node, r->start_ns,
			     time_now(CLOCK_THREAD_CPUTIME_ID),
			     t->period.stood_ns);
	history_call(t->history, node, r->start_ns, r->end_ns);
}

static void count_call(struct thread *t, struct region *r,
		       const struct region_values *v)
{
	int why = -1;
	live_ref node;

	settle_time(t, r);
	node = r->node ? r->node : region_node(t, r, &why);
	if (t->unwinder.verify && (r->site || r->skipped) && !r->inside)
		verify_node(t, r);
	if (r->name->class == LIVE_NAME_MPI)
		count_mpi(t, r);
	if (!node) {
		thread_lost(t, (enum loss)why);
		return;
	}
	if (r->name->class == LIVE_NAME_IO)
		wait_events_add_call(t, node, r->end_ns, r->ns);
	if (history_wants(t->history, r->ns))
		keep_history(t, r, node);
	r->call = call_of(t, r, node);
	if (!r->call)
		thread_lost(t, LOSS_DROPPED_FULL);
	else if (r->skipped)
		count_skipped_poll(r->call, v);
	else
		count_values(t, r->call, r->ns, v);
	if (r->call && r->name->polls)
		count_poll(t, r);
	else if (r->call && r->name->class == LIVE_NAME_MPI)
		stamps_count(t, r->call, r->start_ns, r->mpi_ns - r->ns);
	if (t->counters)
		counters_leave(t, node);
}

/* Of a poll that was skipped readers have not seen the begin. */
static inline void count_completed(struct thread *t, const struct region *r)
{
	struct live_open_call *open = &t->live->call;

	if (r->name->class == LIVE_NAME_IO)
		return;
	if (r->in_vain) {
		open->polls++;
		return;
	}
	open->polls = 0;
	open->completed++;
	open->completed_ns = r->end_ns;
}

static inline void close_call(const struct region *r)
{
	struct live_open_call *open = r->open;

	if (open)
		__atomic_store_n(&open->sequence, open->sequence + 1,
				 __ATOMIC_RELEASE);
}

/*
 * A call that took longer than any does was interrupted, and would stand for as
 * many.
 */
static void count_call_cost(struct thread *t, uint64_t since)
{
	bool measured = region_is_measured(t);
	uint64_t took;

	t->calls++;
	if (!measured)
		return;
	took = ticks_took(&t->ticks, timestamp_read() - since + t->entering);
	if (took < INTERRUPTED_NS)
		t->live->wrapper_ns += REGION_COST_EVERY * took;
}

/* What was found in another profile than this, a fork ago, is forgotten. */
static inline bool still_ready(struct thread *t, struct region *r,
			       enum loss *why)
{
	if (thread_has_tree(t))
		return true;
	r->node = 0;
	r->site = NULL;
	return thread_await(t, why);
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
		close_call(r);
		return;
	}
	t->leaves = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (r->skipped)
		complete_skipped(t, r);
	if (still_ready(t, r, &why)) {
		count_call(t, r, values);
		count_completed(t, r);
		close_call(r);
		count_call_cost(t, r->end);
	} else {
		thread_lost(t, why);
	}
	if (r->inside)
		callsites_expect(t->sites_beyond, EXPECTED);
	if (t->region == r)
		t->region = NULL;
	t->leaves = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sample_settle(t, r->node);
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
