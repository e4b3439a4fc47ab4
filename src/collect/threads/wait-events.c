/* SPDX-License-Identifier: BSD-3-Clause */
/* wait-events.c - lists that are halved when they are full. */
#include <string.h>

#include "base/sys.h"
#include "collect/source.h"
#include "collect/threads/wait-events.h"
#include "collect/thread.h"

enum {
	TRACE_POINTS_SHARE = 4,
	HELPER_TRACE_POINTS =
		240 /* with its head, no more than the first chunk */
};

/* Mutable: of the process; read without order, a late view keeps a few more. */
uint32_t wait_events_level;
static uint32_t most = WAIT_EVENTS_MOST;
static uint32_t threads; /* that have events */
static uint32_t traced;  /* trace points of each thread, with --trace */
static enum moments_keep trace_keep;
bool wait_events_of_all;

static void set_trace_size(const struct settings *s)
{
	traced = (uint32_t)((s->trace << 20) / sizeof(struct live_traced));
	trace_keep = !strcmp(s->trace_keep, "first")  ? MOMENTS_FIRST
		     : !strcmp(s->trace_keep, "last") ? MOMENTS_LAST
						      : MOMENTS_THIN;
	wait_events_of_all = traced;
}

void wait_events_init(int ranks)
{
	if (ranks > WAIT_EVENTS_RANKS)
		most = (uint32_t)((uint64_t)WAIT_EVENTS_MOST *
				  WAIT_EVENTS_RANKS / (uint64_t)ranks);
	if (most < WAIT_EVENTS_FEWEST)
		most = WAIT_EVENTS_FEWEST;
	wait_events_of_all =
		traced || (ranks > 1 && clock_wall() != LIVE_WALL_SAMPLED);
}

static bool is_event_of_level(const void *event, void *level)
{
	return ((const struct live_event *)event)->level >= *(uint32_t *)level;
}

SIGSAFE static void begin_thinning(struct live_thread *live)
{
	__atomic_fetch_add(&live->thinning, 1, __ATOMIC_SEQ_CST);
}

SIGSAFE static void end_thinning(struct live_thread *live)
{
	__atomic_fetch_add(&live->thinning, 1, __ATOMIC_SEQ_CST);
}

static void drop_events_below_level(struct thread *t, uint32_t level)
{
	/* A handler of the program that jumped out would leave it half done. */
	uint64_t mask = sys_mask(SYS_MASK_ALL);

	begin_thinning(t->live);
	t->wait_events.count = chunk_filter(
		t->tree.arena, &t->wait_events.list, t->live->parts,
		sizeof(struct live_event), is_event_of_level, &level);
	t->live->level = level;
	end_thinning(t->live);
	sys_mask(mask);
}

static void make_event_room(struct thread *t)
{
	uint32_t share = most / __atomic_load_n(&threads, __ATOMIC_RELAXED);
	uint32_t level = __atomic_load_n(&wait_events_level, __ATOMIC_RELAXED);

	if (t->wait_events.count >= share && t->live->level == level)
		__atomic_compare_exchange_n(&wait_events_level, &level,
					    level + 1, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	level = __atomic_load_n(&wait_events_level, __ATOMIC_RELAXED);
	if (t->live->level != level)
		drop_events_below_level(t, level);
}

void wait_events_add(struct thread *t, const struct live_event *event)
{
	struct wait_events *p = &t->wait_events;
	live_ref ref;

	if (!t->live->parts)
		__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
	make_event_room(t);
	if (event->level < t->live->level)
		return;
	ref = chunk_take(t->tree.arena, &p->list, &t->live->parts,
			 sizeof(*event));
	if (!ref) {
		thread_lost(t, LOSS_DROPPED_FULL);
		return;
	}
	*(struct live_event *)arena_at(t->tree.arena, ref) = *event;
	chunk_commit(t->tree.arena, &p->list);
	p->count++;
}

SIGSAFE static uint32_t trace_points_most(const struct thread *t)
{
	uint32_t share = most / TRACE_POINTS_SHARE;

	return t->wait_events.wanted || share < HELPER_TRACE_POINTS
		       ? share
		       : HELPER_TRACE_POINTS;
}

SIGSAFE static struct live_moment moment_of(live_ref node, uint64_t ns,
					    uint64_t wall_ns, bool call)
{
	uint32_t weight = wall_ns < UINT32_MAX ? (uint32_t)wall_ns : UINT32_MAX;

	return (struct live_moment){ .ns = ns,
				     .node = node,
				     .weight_ns =
					     call ? weight | 1 : weight & ~1u };
}

void wait_events_add_call(struct thread *t, live_ref node, uint64_t end_ns,
			  uint64_t ns)
{
	struct live_moment moment = moment_of(node, end_ns, ns, true);

	if (ns >= WAIT_EVENTS_LONG_NS && !traced &&
	    clock_wall() == LIVE_WALL_NONE &&
	    (t->wait_events.wanted || wait_events_of_all))
		moments_add(&t->wait_events.moments, t->tree.arena, t->live,
			    trace_points_most(t), MOMENTS_THIN, &moment,
			    sizeof(moment));
}

SIGSAFE void wait_events_add_point(struct thread *t, live_ref node,
				   uint64_t now_ns, uint64_t wall_ns)
{
	struct moments *list = &t->wait_events.moments;
	struct live_moment moment = moment_of(node, now_ns, wall_ns, false);
	struct live_traced sample = {
		.node = node,
		.time = (uint32_t)(now_ns >> LIVE_TRACED_SHIFT),
	};

	if (traced)
		moments_add(list, t->tree.arena, t->live, traced, trace_keep,
			    &sample, sizeof(sample));
	else
		moments_add(list, t->tree.arena, t->live, trace_points_most(t),
			    MOMENTS_THIN, &moment, sizeof(moment));
}

const struct source source_wait_events = {
	.start = set_trace_size,
};
