/* SPDX-License-Identifier: BSD-3-Clause */
/* wait-events.c - lists that are halved when they are full. */
#include "base/sys.h"
#include "collect/wait-events.h"
#include "collect/thread.h"

enum {
	MOMENTS_SHARE = 4,
	HELPER_MOMENTS = 240 /* with its head, no more than the first chunk */
};

/* Mutable: of the process; read without order, a late view keeps a few more. */
uint32_t parts_level;
static uint32_t most = PARTS_MOST;
static uint32_t threads; /* that have parts */
bool parts_helpers;

void parts_init(int ranks)
{
	if (ranks > PARTS_RANKS)
		most = (uint32_t)((uint64_t)PARTS_MOST * PARTS_RANKS /
				  (uint64_t)ranks);
	if (most < PARTS_FEWEST)
		most = PARTS_FEWEST;
	parts_helpers = ranks > 1 && clock_wall() != LIVE_WALL_SAMPLED;
}

static bool is_high(const void *part, void *level)
{
	return ((const struct live_part *)part)->level >= *(uint32_t *)level;
}

SIGSAFE static void begin_thinning(struct live_thread *live)
{
	__atomic_fetch_add(&live->thinning, 1, __ATOMIC_SEQ_CST);
}

SIGSAFE static void end_thinning(struct live_thread *live)
{
	__atomic_fetch_add(&live->thinning, 1, __ATOMIC_SEQ_CST);
}

static void follow_level(struct thread *t, uint32_t level)
{
	/* A handler of the program that jumped out would leave it half done. */
	uint64_t mask = sys_mask(SYS_MASK_ALL);

	begin_thinning(t->live);
	t->parts.count =
		chunk_filter(t->tree.arena, &t->parts.list, t->live->parts,
			     sizeof(struct live_part), is_high, &level);
	t->live->level = level;
	end_thinning(t->live);
	sys_mask(mask);
}

static void make_event_room(struct thread *t)
{
	uint32_t share = most / __atomic_load_n(&threads, __ATOMIC_RELAXED);
	uint32_t level = __atomic_load_n(&parts_level, __ATOMIC_RELAXED);

	if (t->parts.count >= share && t->live->level == level)
		__atomic_compare_exchange_n(&parts_level, &level, level + 1,
					    false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	level = __atomic_load_n(&parts_level, __ATOMIC_RELAXED);
	if (t->live->level != level)
		follow_level(t, level);
}

void parts_add(struct thread *t, const struct live_part *part)
{
	struct parts *p = &t->parts;
	live_ref ref;

	if (!t->live->parts)
		__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
	make_event_room(t);
	if (part->level < t->live->level)
		return;
	ref = chunk_take(t->tree.arena, &p->list, &t->live->parts,
			 sizeof(*part));
	if (!ref) {
		thread_lost(t, LOSS_DROPPED_FULL);
		return;
	}
	*(struct live_part *)arena_at(t->tree.arena, ref) = *part;
	chunk_commit(t->tree.arena, &p->list);
	p->count++;
}

SIGSAFE static bool is_even(const void *moment, void *turn)
{
	(void)moment;
	return ++*(uint32_t *)turn % 2;
}

SIGSAFE static void halve_moments(struct thread *t)
{
	uint32_t turn = 0;

	begin_thinning(t->live);
	t->parts.moment_count =
		chunk_filter(t->tree.arena, &t->parts.moments, t->live->moments,
			     sizeof(struct live_moment), is_even, &turn);
	t->live->every *= 2;
	end_thinning(t->live);
}

SIGSAFE static uint32_t moments_most(const struct thread *t)
{
	uint32_t share = most / MOMENTS_SHARE;

	return t->parts.wanted || share < HELPER_MOMENTS ? share
							 : HELPER_MOMENTS;
}

SIGSAFE void moments_add(struct thread *t, live_ref node, uint64_t now_ns,
			 uint64_t wall_ns)
{
	struct parts *p = &t->parts;
	live_ref ref;

	if (!t->live->every)
		t->live->every = 1;
	if (++p->skipped < t->live->every)
		return;
	p->skipped = 0;
	if (p->moment_count >= moments_most(t))
		halve_moments(t);
	ref = chunk_take(t->tree.arena, &p->moments, &t->live->moments,
			 sizeof(struct live_moment));
	if (!ref)
		return;
	*(struct live_moment *)arena_at(t->tree.arena, ref) =
		(struct live_moment){ .ns = now_ns,
				      .node = node,
				      .weight_ns = wall_ns < UINT32_MAX
							   ? (uint32_t)wall_ns
							   : UINT32_MAX };
	chunk_commit(t->tree.arena, &p->moments);
	p->moment_count++;
}
