/* SPDX-License-Identifier: BSD-3-Clause */
/* region.c - known contexts, and what MPI adapters tell. */
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "collect/collect.h"
#include "collect/control.h"
#include "collect/known.h"
#include "collect/registry.h"
#include "collect/time.h"

#define PUBLIC __attribute__((visibility("default")))

enum {
	COST_EVERY = 64,
	INTERRUPTED_NS = 10000
};

/*
 * A wrapper that was left by a longjmp or an exception leaves its region
 * behind: a region below the stack pointer is dead.
 */
SIGSAFE struct region *known_region(struct thread *t, uintptr_t sp)
{
	const struct unwinder *u = &t->unwinder;

	while (t->region && (uintptr_t)t->region < sp &&
	       (uintptr_t)t->region >= u->low && sp < u->high)
		t->region = t->region->outer;
	return t->region;
}

SIGSAFE live_ref known_node(struct thread *t, struct region *r, int *why)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	uint32_t name;
	live_ref node;

	*why = -1;
	if (r->node)
		return r->node;
	if (!registry_name(r->name, &name)) {
		*why = LOSS_DROPPED_FULL;
		return 0;
	}
	node = thread_path(t, &caller, false, NULL, why);
	if (node)
		r->node = tree_child(&t->tree, node, LIVE_NODE_NAMED, name, 0);
	return r->node;
}

PUBLIC void copse_region_enter(struct region *r)
{
	struct thread *t = thread_self();

	r->node = 0;
	r->nested = 1;
	if (!t || collect_paused())
		return;
	r->outer = known_region(t, (uintptr_t)r);
	if (r->outer)
		return;
	r->nested = 0;
	r->start_ns = time_now(CLOCK_MONOTONIC);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	/* Another stack, a coroutine's, may go without a word. */
	if ((uintptr_t)r >= t->unwinder.low && (uintptr_t)r < t->unwinder.high)
		t->region = r;
	counters_enter(t);
}

static void count(struct thread *t, struct region *r, uint64_t ns,
		  const struct region_values *v)
{
	int why;
	live_ref node = known_node(t, r, &why);
	bool ok;

	if (!node) {
		thread_lost(t, (enum loss)why);
		return;
	}
	ok = tree_add(&t->tree, node, METRIC_MPI_CALLS, 1) &&
	     tree_add(&t->tree, node, METRIC_MPI_TIME, ns);
	if (ok && v && v->sent)
		ok = tree_add(&t->tree, node, METRIC_MPI_SENT, v->sent);
	if (ok && v && v->received)
		ok = tree_add(&t->tree, node, METRIC_MPI_RECEIVED, v->received);
	if (!ok)
		thread_lost(t, LOSS_DROPPED_FULL);
	counters_leave(t, node);
}

/*
 * What wrappers cost is measured on one call of many.  A call that took longer
 * than any does was interrupted, and would stand for as many.
 */
static void count_cost(struct thread *t, uint64_t since)
{
	static __thread uint32_t calls
		__attribute__((tls_model("initial-exec")));

	uint64_t took;

	if (++calls % COST_EVERY) /* not the first, which is cold */
		return;
	took = time_now(CLOCK_MONOTONIC) - since;
	if (took < INTERRUPTED_NS)
		t->live->wrapper_ns += COST_EVERY * took;
}

/* Leaving is part of the call, for whom the time of a late tick is. */
static void settle(struct thread *t, live_ref node)
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

PUBLIC void copse_region_leave(struct region *r,
			       const struct region_values *values)
{
	struct thread *t = thread_self();
	enum loss why;
	uint64_t now;

	if (r->nested || !t)
		return;
	now = time_now(CLOCK_MONOTONIC);
	if (!thread_occupy(t)) {
		thread_lost(t, LOSS_DROPPED_BUSY);
		return;
	}
	t->leaves = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (thread_ready(t, &why)) {
		count(t, r, now - r->start_ns, values);
		count_cost(t, now);
	} else {
		thread_lost(t, why);
	}
	if (t->region == r)
		t->region = r->outer;
	t->leaves = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	settle(t, r->node);
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

/* Mutable: the profile that MPI was started for; a forked child has another. */
static uint32_t mpi_generation;

PUBLIC void copse_mpi_init(int rank, int size, const char *library)
{
	struct thread *t = thread_use();
	struct live_header *header;

	if (!t) {
		if (collect_left_out())
			control_left_out(collect_left_out(), rank);
		return;
	}
	mpi_generation = registry_generation();
	header = registry_header();
	header->mpi_init_paused_ns = control_paused_ns();
	header->rank = rank;
	header->size = size;
	header->mpi_thread = t->index;
	header->mpi_library = put_text(library);
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

PUBLIC live_ref copse_comm_new(int size, int rank, bool inter)
{
	struct thread *t = thread_use();
	struct live_comm *comm;
	live_ref ref;

	if (!t)
		return 0;
	ref = registry_comm();
	if (ref) {
		comm = arena_at(t->tree.arena, ref);
		comm->size = (uint32_t)size;
		comm->rank = (uint32_t)rank;
		comm->inter = inter;
	}
	thread_release(t);
	return ref;
}

PUBLIC void copse_comm_call(live_ref comm)
{
	struct live_header *header = registry_header();
	struct live_comm *to;

	if (!header || !comm || mpi_generation != registry_generation())
		return;
	to = (struct live_comm *)((char *)header + (uint64_t)comm * LIVE_UNIT);
	__atomic_fetch_add(&to->calls, 1, __ATOMIC_RELAXED);
}
