/* SPDX-License-Identifier: BSD-3-Clause */
/* omp-team.c - see omp-team.h. */
#include "collect/omp-team.h"

#include <dlfcn.h>

#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/region-handler.h"
#include "collect/registry.h"
#include "collect/sample.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"

enum {
	PATIENCE =
		1000, /* times that a thread lets others go on, in its life */
	SLOTS = 64,   /* members that there is room for at first */
	LONG_SHIFT = 13, /* some 4 µs for each member, by the counter */
	OF_SHORT = 16    /* regions that are not longer, one is looked at */
};

/*
 * When a member came to the end: a line of its own.  The master reads that
 * behind the region, where it is alone.
 */
struct omp_slot {
	uint32_t number; /* of the region */
	live_ref sampled;
	uint64_t end; /* after its begin */
} __attribute__((aligned(64)));

struct omp_slots {
	uint32_t size;
	struct omp_slot at[];
};

/* A context of the thread's, and what it had before. */
struct team_level {
	uintptr_t frame; /* it is there as long as this place of the stack */
	live_ref root;
	uintptr_t floor;
	struct omp_team *team;
	struct omp_slot *slot; /* NULL: none */
	uint64_t start;        /* of its part; 0: it has not come to it */
	uint64_t waited;       /* before, and … */
	live_ref sampled;      /* … as below */
};

/* Mutable: how fast the counter is; any master sets it. */
static struct ticks clock_of_teams;

/* The thread's own; read by its handler. */
static __thread struct {
	uint32_t depth;
	struct team_level levels[THREAD_TEAMS];
	/* The team whose work it has done: its root is that of the region until
	   the master goes on.  NULL: none. */
	const struct thread *master;
	uint32_t level, number;
	live_ref outside; /* the root of afterwards */
	uint32_t waits;   /* for its tree, so far */
	uint64_t waited;  /* in its region, in units of team_now() */
	live_ref sampled; /* the last one in it, 0: none */
} mine __attribute__((tls_model("initial-exec")));

SIGSAFE static void put_context(struct thread *t, live_ref root,
				uintptr_t floor)
{
	t->tree.root = root;
	t->unwinder.floor = floor;
}

SIGSAFE static void pop_level(struct thread *t)
{
	const struct team_level *l = &mine.levels[--mine.depth];

	mine.waited = l->waited;
	if (!mine.sampled) /* one in an inner region is in the outer one, too */
		mine.sampled = l->sampled;
	put_context(t, l->root, l->floor);
}

static void push_level(struct thread *t, struct omp_team *team, uintptr_t frame,
		       live_ref root)
{
	mine.levels[mine.depth] =
		(struct team_level){ .frame = frame,
				     .root = t->tree.root,
				     .floor = t->unwinder.floor,
				     .team = team,
				     .waited = mine.waited,
				     .sampled = mine.sampled };
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	mine.depth++;
	mine.waited = 0;
	mine.sampled = 0;
	put_context(t, root, frame);
}

static struct team_level *look_for_level(struct thread *t,
					 const struct omp_team *team)
{
	uint32_t depth = mine.depth;

	while (depth && mine.levels[depth - 1].team != team)
		depth--;
	if (!depth)
		return NULL;
	while (mine.depth > depth)
		pop_level(t);
	return &mine.levels[depth - 1];
}

/* Those inside it have been left by a longjmp; NULL: it was left as well. */
static inline struct team_level *level_of_team(struct thread *t,
					       const struct omp_team *team)
{
	struct team_level *level = &mine.levels[mine.depth - 1];

	return mine.depth && level->team == team ? level
						 : look_for_level(t, team);
}

SIGSAFE static void leave_team(struct thread *t)
{
	mine.master = NULL;
	t->tree.root = mine.outside;
}

SIGSAFE static bool is_team_over(void)
{
	const uint32_t *ended = &mine.master->teams_ended[mine.level];

	return (int32_t)(__atomic_load_n(ended, __ATOMIC_ACQUIRE) -
			 mine.number) >= 0;
}

SIGSAFE void omp_team_look(struct thread *t, uintptr_t sp)
{
	bool own = sp >= t->unwinder.low && sp < t->unwinder.high;

	while (own && mine.depth && mine.levels[mine.depth - 1].frame < sp)
		pop_level(t);
	if (mine.master && !mine.depth && is_team_over())
		leave_team(t);
}

SIGSAFE void omp_team_sampled(live_ref node)
{
	if (mine.depth)
		mine.sampled = node;
}

/* A sample that came since thread_use() is the region's. */
static void release_team(struct thread *t, live_ref node)
{
	t->leaves = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sample_settle(t, node);
	thread_release(t);
}

static inline void hold_team(struct thread *t)
{
	t->leaves = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

PUBLIC void copse_team_init(void)
{
	unwind_hide(__builtin_return_address(0));
	ticks_init();
	if (thread_self())
		ticks_set(&thread_self()->ticks);
}

PUBLIC uint32_t copse_team_code(void)
{
	return registry_code_generation();
}

/* The function that the members call tells regions apart, else the call. */
static live_ref walk_to_team(struct thread *t, const struct omp_team *team)
{
	const struct region *r = &team->call;
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	uintptr_t code = team->function ? (uintptr_t)team->function : r->pc - 1;
	struct registry_module module;
	struct dl_find_object object;
	live_ref node;
	int why;

	if (_dl_find_object((void *)code, &object) ||
	    !registry_module(&module, &object, &t->unwinder.reader))
		return 0;
	node = thread_path(t, &caller, false, NULL, &why);
	return node ? tree_child(&t->tree, node, LIVE_NODE_REGION, module.index,
				 code - module.base)
		    : 0;
}

static live_ref node_of_team(struct thread *t, const struct omp_team *team)
{
	struct site *site = t->sites ? site_find(t->sites, t->tree.root,
						 &team->call, &t->unwinder)
				     : NULL;
	live_ref node;

	if (site)
		return site->node;
	node = thread_open() ? walk_to_team(t, team) : 0;
	if (node)
		site_learn(t, &team->call, node);
	return node;
}

/*
 * Times are of the counter once it is known how fast that is, else of the
 * kernel's clock.  A region in which measuring was paused or went on has none.
 */
static inline uint64_t team_now(const struct omp_team *team)
{
	return team->counts ? __rdtsc() : time_now(CLOCK_MONOTONIC);
}

static inline uint64_t team_ns(const struct omp_team *team, uint64_t passed)
{
	return team->counts ? ticks_took(&clock_of_teams, passed) : passed;
}

/* Members' own clocks need not have been set yet. */
static void begin_team_times(struct thread *t, struct omp_team *team)
{
	int64_t paused = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	uint64_t now = __rdtsc();

	if (!t->ticks.scale || now - t->ticks.counter > TICKS_TRUSTED)
		ticks_set(&t->ticks);
	/* Who calls MPI may have set its clock before. */
	if (!clock_of_teams.scale ||
	    (int64_t)(t->ticks.counter - clock_of_teams.counter) >
		    (int64_t)TICKS_TRUSTED)
		clock_of_teams = t->ticks;
	team->paused = (uint32_t)paused;
	team->timed = paused >= 0;
	team->counts = t->ticks.scale;
	team->begin = team->counts ? now : team_now(team);
}

static inline bool is_timed(const struct omp_team *team)
{
	int64_t paused = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);

	return team->timed && paused >= 0 && team->paused == (uint32_t)paused;
}

static void count_team(struct thread *t, live_ref node, enum metric metric,
		       uint64_t value)
{
	if (value && !tree_add(&t->tree, node, metric, value))
		thread_lost(t, LOSS_DROPPED_FULL);
}

/*
 * By each member, as it comes to the end.  A team of one waits for nobody.
 */
static void count_member(struct thread *t, struct omp_team *team,
			 const struct team_level *level)
{
	uint64_t now = team_now(team), took = now - level->start;
	uint64_t waited = mine.waited < took ? mine.waited : took;
	struct omp_place *place;

	if (level->slot) {
		level->slot->number = team->number;
		level->slot->sampled = mine.sampled;
		level->slot->end = now - team->begin;
	}
	place = omp_place_find(t, &t->omp_places, team->node,
			       t == team->master ? 0 : level->root);
	if (!place || !is_timed(team))
		return;
	omp_place_add(t, place, PLACE_WORK, team_ns(team, took - waited));
	omp_place_add(t, place, PLACE_BARRIER, team_ns(team, waited));
}

/* The last one, and what all others have waited for it; NULL: not known. */
static const struct omp_slot *last_member(const struct omp_slots *slots,
					  const struct omp_team *team,
					  uint64_t *waited)
{
	const struct omp_slot *last = &slots->at[0];
	uint64_t ends = 0;

	for (uint32_t i = 0; i < team->members; i++) {
		const struct omp_slot *slot = &slots->at[i];

		if (slot->number != team->number)
			return NULL;
		ends += slot->end;
		last = slot->end > last->end ? slot : last;
	}
	*waited = last->end * team->members - ends;
	return last;
}

/*
 * To read a line of each member takes longer than they waited where regions are
 * short: of these one stands for some.
 */
static uint32_t regions_it_stands_for(const struct omp_team *team,
				      uint64_t passed)
{
	if (team->members < 2 || !team->node)
		return 0;
	if (passed >> LONG_SHIFT >= team->members)
		return 1;
	return team->number * 0x9e3779b1u < UINT32_MAX / OF_SHORT ? OF_SHORT
								  : 0;
}

/* Where another member was sampled last is in that one's tree. */
static void count_blame(struct thread *t, const struct omp_team *team,
			const struct omp_slot *last, bool own, uint64_t ns)
{
	live_ref node = last->sampled;

	if (node && !own)
		node = tree_child(&t->tree, team->node, LIVE_NODE_BELOW, 0,
				  node);
	if (node)
		count_team(t, node, METRIC_OMP_BLAME, ns);
}

/* What it did while others waited is where it was sampled last, when it was. */
static void count_late_member(struct thread *t, const struct omp_team *team,
			      uint32_t times)
{
	const struct omp_slots *slots = t->slots[team->level];
	const struct omp_slot *last = NULL;
	uint64_t waited, ns;

	if (thread_open() && slots && slots->size >= team->members)
		last = last_member(slots, team, &waited);
	if (!last)
		return;
	ns = team_ns(team, waited) * times;
	count_team(t, team->node, METRIC_OMP_LATE, ns);
	if (last == slots->at)
		count_team(t, team->node, METRIC_OMP_LATE_MASTER, ns);
	if (ns)
		count_blame(t, team, last, last == slots->at, ns);
}

/* By the master: what all of its members together were in the region. */
static void count_region(struct thread *t, const struct omp_team *team)
{
	struct omp_place *place =
		omp_place_find(t, &t->omp_places, team->node, 0);
	uint64_t passed = team_now(team) - team->begin;
	uint32_t times;

	if (!team->members || !place || !is_timed(team))
		return;
	omp_place_add(t, place, PLACE_REGIONS, 1);
	omp_place_add(t, place, PLACE_MEMBERS, team->members);
	omp_place_add(t, place, PLACE_TIME,
		      team_ns(team, passed * team->members));
	times = regions_it_stands_for(team, passed);
	if (times)
		count_late_member(t, team, times);
}

/* The team whose part the thread does, or NULL. */
static inline struct omp_team *team_at_work(void)
{
	const struct team_level *level;

	if (!mine.depth)
		return NULL;
	level = &mine.levels[mine.depth - 1];
	return level->start ? level->team : NULL;
}

PUBLIC uint64_t copse_team_wait(void)
{
	const struct omp_team *team = team_at_work();

	return team ? team_now(team) : 0;
}

PUBLIC void copse_team_go_on(uint64_t since)
{
	const struct omp_team *team = since ? team_at_work() : NULL;

	if (team)
		mine.waited += team_now(team) - since;
}

static inline bool is_on_own_stack(const struct thread *t, uintptr_t frame)
{
	return frame >= t->unwinder.low && frame < t->unwinder.high;
}

/* Nobody else is at them: no region of that level is begun. */
static void make_slots(struct thread *t, uint32_t level, uint32_t size)
{
	struct omp_slots *slots = NULL;

	if (thread_open())
		slots = sys_memory(sizeof(*slots) + size * sizeof(*slots->at));
	if (slots)
		slots->size = size;
	__atomic_store_n(&t->slots[level], slots, __ATOMIC_RELAXED);
}

static void begin_team(struct thread *t, struct omp_team *team, uintptr_t frame)
{
	if (!t->slots[mine.depth])
		make_slots(t, mine.depth, SLOTS);
	team->level = (uint8_t)mine.depth;
	team->number = ++t->teams;
	push_level(t, team, frame, team->node);
	team->master = t;
	team->profile = t->generation;
	team->members = 0;
	begin_team_times(t, team);
}

/*
 * A new thread gets its tree now; others may be at the lists.  Without one the
 * region would lack its part, and all that it does.  Where memory is used up
 * there will be none, so the thread does not wait for long in its life.
 */
static void await_tree(const struct thread *self)
{
	while (!thread_has_tree(self) && mine.waits++ < PATIENCE) {
		struct thread *t = thread_use();

		if (t)
			thread_release(t);
		else
			sys0(SYS_sched_yield);
	}
}

/* Or NULL. */
static inline struct thread *thread_with_tree(void)
{
	struct thread *t = thread_self();

	if (t && !thread_has_tree(t))
		await_tree(t);
	return t && thread_has_tree(t) ? t : NULL;
}

static void find_team_node(struct thread *t, struct omp_team *team,
			   const struct region_frame *caller)
{
	struct region *r = &team->call; /* of which nothing else is asked */

	r->pc = caller->pc;
	r->sp = caller->sp;
	r->fp = caller->fp;
	r->inside = (uintptr_t)team->function;
	r->name = NULL;
	team->node = node_of_team(t, team);
}

PUBLIC void copse_team_begin(struct omp_team *team, void (*function)(void *),
			     const struct region_frame *caller, uintptr_t frame)
{
	struct thread *t;

	team->master = NULL;
	team->function = function;
	t = thread_with_tree();
	if (!t || !thread_occupy(t))
		return;
	hold_team(t);
	omp_team_look(t, frame);
	team->node = 0;
	if (mine.depth < THREAD_TEAMS && is_on_own_stack(t, frame))
		find_team_node(t, team, caller);
	if (team->node)
		begin_team(t, team, frame);
	release_team(t, team->node ? team->node : t->tree.root);
}

/* More of them than there was room for. */
static void grow_slots(struct thread *t, const struct omp_team *team)
{
	const struct omp_slots *slots = t->slots[team->level];

	if (slots && slots->size < team->members)
		make_slots(t, team->level, 2 * team->members);
}

PUBLIC void copse_team_end(struct omp_team *team)
{
	struct thread *t = team->master ? thread_self() : NULL;

	if (!t || t != team->master)
		return;
	__atomic_store_n(&t->teams_ended[team->level], team->number,
			 __ATOMIC_RELEASE);
	/* A child that was forked in the region has another profile. */
	if (!thread_has_tree(t) || team->profile != t->generation ||
	    !thread_occupy(t))
		return;
	hold_team(t);
	if (level_of_team(t, team))
		pop_level(t);
	count_region(t, team);
	grow_slots(t, team);
	release_team(t, team->node);
}

/* The level of a member that is not the master; NULL: no memory. */
static struct team_level *push_member(struct thread *t, struct omp_team *team,
				      uintptr_t frame)
{
	struct omp_place *place = NULL;

	if (mine.depth < THREAD_TEAMS && is_on_own_stack(t, frame)) {
		if (mine.master)
			leave_team(t);
		place = omp_place_find(t, &t->omp_places, team->node,
				       t->tree.root);
	}
	if (!place)
		return NULL;
	push_level(t, team, frame, place->root);
	return &mine.levels[mine.depth - 1];
}

static struct omp_slot *slot_of_team(const struct omp_team *team,
				     uint32_t index)
{
	struct omp_slots *slots = __atomic_load_n(
		&team->master->slots[team->level], __ATOMIC_RELAXED);

	return slots && index < slots->size ? &slots->at[index] : NULL;
}

static struct team_level *level_of_member(struct thread *t,
					  struct omp_team *team,
					  uintptr_t frame, int size)
{
	if (t != team->master)
		return push_member(t, team, frame);
	team->members = (uint32_t)size;
	return level_of_team(t, team);
}

PUBLIC void copse_team_enter(struct omp_team *team, uintptr_t frame, int index,
			     int size)
{
	struct team_level *level;
	struct thread *t;

	if (!team->master)
		return;
	t = thread_with_tree();
	if (!t || !thread_occupy(t))
		return;
	hold_team(t);
	level = level_of_member(t, team, frame, size);
	if (level) {
		if (frame < level->frame)
			t->unwinder.floor = frame;
		level->slot = NULL;
		if (t != team->master || size > 1)
			level->slot = slot_of_team(team, (uint32_t)index);
		level->start = team_now(team);
	}
	release_team(t, t->tree.root);
}

/* The master waits in its own region, until copse_team_end(). */
static void wait_for_team(struct thread *t, const struct omp_team *team,
			  live_ref root)
{
	pop_level(t);
	mine.outside = t->tree.root;
	mine.level = team->level;
	mine.number = team->number;
	mine.master = team->master;
	t->tree.root = root;
}

PUBLIC void copse_team_leave(struct omp_team *team)
{
	/* In a forked child there is no level. */
	struct thread *t = team->master && mine.depth ? thread_self() : NULL;
	struct team_level *level;
	live_ref root;

	if (!t || !thread_occupy(t))
		return;
	hold_team(t);
	level = level_of_team(t, team);
	root = t->tree.root;
	if (level && level->start) {
		count_member(t, team, level);
		level->start = 0;
		if (t == team->master)
			t->unwinder.floor = level->frame;
		else
			wait_for_team(t, team, root);
	}
	release_team(t, root);
}

PUBLIC void copse_team_member(void *of)
{
	struct omp_team *team = of;
	bool is_master = team->master && team->master == thread_self();

	copse_team_enter(team, (uintptr_t)__builtin_frame_address(0),
			 is_master ? 0 : team->index(),
			 is_master ? team->size() : 0);
	team->function(team->data);
	copse_team_leave(team);
}

static void team_forked(void)
{
	struct thread *t = thread_self();

	mine.depth = 0;
	mine.master = NULL;
	if (!t)
		return;
	t->unwinder.floor = UINTPTR_MAX;
	t->omp_places = (struct omp_places){ 0 };
}

static void team_reset(struct thread *t)
{
	mine.depth = 0;
	mine.master = NULL;
	t->unwinder.floor = UINTPTR_MAX;
	t->omp_places = (struct omp_places){ 0 };
}

/* It ends in a region, or after one: the record's next thread does not. */
static void team_thread_gone(struct thread *t)
{
	const struct live_node *node;

	if (!t->ready || (!mine.depth && !mine.master))
		return;
	mine.depth = 0;
	mine.master = NULL;
	for (;;) {
		node = arena_at(t->tree.arena, t->tree.root);
		if (node->kind == LIVE_NODE_ROOT)
			return;
		t->tree.root = node->parent;
	}
}

const struct source source_omp_team = {
	.fork = team_forked,
	.reset = team_reset,
	.thread_gone = team_thread_gone,
};
