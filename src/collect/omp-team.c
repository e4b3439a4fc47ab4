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
	PATIENCE = 1000 /* times that a thread lets others go on, in its life */
};

/* A context of the thread's, and what it had before. */
struct team_level {
	uintptr_t frame; /* it is there as long as this place of the stack */
	live_ref root;
	uintptr_t floor;
	struct omp_team *team;
	uint32_t size;    /* of the team */
	uint64_t start;   /* of its part; 0: it has not come to it */
	uint64_t waited;  /* before, and … */
	live_ref sampled; /* … as below */
};

/* The thread's own; read by its handler. */
static __thread struct {
	uint32_t depth;
	struct team_level levels[THREAD_TEAMS];
	/* The team whose work it has done: its root is that of the region until
	   the master goes on.  NULL: none. */
	const struct thread *master;
	uint32_t level;
	uint64_t number;
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

/* Those inside it have been left by a longjmp; NULL: it was left as well. */
static struct team_level *level_of_team(struct thread *t,
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

SIGSAFE static void leave_team(struct thread *t)
{
	mine.master = NULL;
	t->tree.root = mine.outside;
}

SIGSAFE static bool is_team_over(void)
{
	const uint64_t *ended = &mine.master->teams_ended[mine.level];

	return __atomic_load_n(ended, __ATOMIC_ACQUIRE) >= mine.number;
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
	live_ref node = site ? site->node : walk_to_team(t, team);

	if (node && !site)
		site_learn(t, &team->call, node);
	return node;
}

/*
 * Times are of the counter once it is known how fast that is, else of the
 * kernel's clock.  A region in which measuring was paused or went on has none.
 */
static inline uint64_t team_now(uint64_t scale)
{
	return scale ? __rdtsc() : time_now(CLOCK_MONOTONIC);
}

static inline uint64_t team_ns(uint64_t scale, uint64_t passed)
{
	return scale ? ticks_took(&(struct ticks){ .scale = scale }, passed)
		     : passed;
}

static inline uint64_t scale_of_counter(struct thread *t)
{
	if (!t->ticks.scale || __rdtsc() - t->ticks.counter > TICKS_TRUSTED)
		ticks_set(&t->ticks);
	return t->ticks.scale;
}

static void count_team(struct thread *t, live_ref node, enum metric metric,
		       uint64_t value)
{
	if (value && !tree_add(&t->tree, node, metric, value))
		thread_lost(t, LOSS_DROPPED_FULL);
}

static bool is_timed(const struct omp_team *team)
{
	return team->call.paused_ns >= 0 &&
	       team->call.paused_ns ==
		       __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
}

/* By the master: what all of its members together were in the region. */
static void count_region(struct thread *t, const struct omp_team *team)
{
	uint64_t passed = team_now(team->scale) - team->begin;

	if (!team->came || !is_timed(team))
		return;
	count_team(t, team->node, METRIC_OMP_REGIONS, 1);
	count_team(t, team->node, METRIC_OMP_MEMBERS, team->came);
	count_team(t, team->node, METRIC_OMP_TIME,
		   team_ns(team->scale, passed * team->came));
}

/*
 * The last one: the others have waited for it since they came.  What it did
 * meanwhile is where it was sampled last, when it was.
 */
static void count_late_member(struct thread *t, const struct omp_team *team,
			      live_ref root, uint64_t ns)
{
	count_team(t, root, METRIC_OMP_LATE, ns);
	if (t == team->master)
		count_team(t, root, METRIC_OMP_LATE_MASTER, ns);
	if (mine.sampled)
		count_team(t, mine.sampled, METRIC_OMP_BLAME, ns);
}

/* By each member, as it comes to the end; the last one knows of all. */
static void count_member(struct thread *t, struct omp_team *team, live_ref root,
			 const struct team_level *level)
{
	uint64_t now = team_now(team->scale), end = now - team->begin;
	uint64_t took = now - level->start;
	uint64_t waited = mine.waited < took ? mine.waited : took;
	uint64_t size = level->size;
	uint64_t ends = __atomic_add_fetch(&team->ends, end, __ATOMIC_ACQ_REL);
	uint32_t came = __atomic_add_fetch(&team->came, 1, __ATOMIC_ACQ_REL);

	if (!is_timed(team))
		return;
	if (came == size && end * size > ends)
		count_late_member(t, team, root,
				  team_ns(team->scale, end * size - ends));
	count_team(t, root, METRIC_OMP_WORK,
		   team_ns(team->scale, took - waited));
	count_team(t, root, METRIC_OMP_BARRIER, team_ns(team->scale, waited));
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

	return team ? team_now(team->scale) : 0;
}

PUBLIC void copse_team_go_on(uint64_t since)
{
	const struct omp_team *team = since ? team_at_work() : NULL;

	if (team)
		mine.waited += team_now(team->scale) - since;
}

static inline bool is_on_own_stack(const struct thread *t, uintptr_t frame)
{
	return frame >= t->unwinder.low && frame < t->unwinder.high;
}

static void begin_team(struct thread *t, struct omp_team *team, uintptr_t frame)
{
	team->level = mine.depth;
	team->number = ++t->teams;
	push_level(t, team, frame, team->node);
	team->master = t;
	team->profile = t->generation;
	team->came = 0;
	team->ends = 0;
	team->scale = scale_of_counter(t);
	team->begin = team_now(team->scale);
}

PUBLIC void copse_team_begin(struct omp_team *team, void (*function)(void *),
			     const struct region_frame *caller, uintptr_t frame)
{
	struct thread *t = thread_use();

	team->master = NULL;
	team->function = function;
	if (!t)
		return;
	hold_team(t);
	team->call = (struct region){
		.pc = caller->pc,
		.sp = caller->sp,
		.fp = caller->fp,
		.inside = (uintptr_t)function,
		.paused_ns = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED)
	};
	omp_team_look(t, frame);
	team->node = 0;
	if (mine.depth < THREAD_TEAMS && is_on_own_stack(t, frame))
		team->node = node_of_team(t, team);
	if (team->node)
		begin_team(t, team, frame);
	release_team(t, team->node ? team->node : t->tree.root);
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
	release_team(t, team->node);
}

/* The level of a member that is not the master; NULL: no memory. */
static struct team_level *push_member(struct thread *t, struct omp_team *team,
				      uintptr_t frame)
{
	live_ref root = 0;

	if (mine.depth < THREAD_TEAMS && is_on_own_stack(t, frame)) {
		if (mine.master)
			leave_team(t);
		root = tree_child(&t->tree, t->tree.root, LIVE_NODE_BELOW, 0,
				  team->node);
	}
	if (!root)
		return NULL;
	push_level(t, team, frame, root);
	return &mine.levels[mine.depth - 1];
}

/*
 * A new thread gets its tree now; others may be at the lists.  Without one the
 * region would lack its part, and all that it does.  Where memory is used up
 * there will be none, so the thread does not wait for long in its life.
 */
static void await_tree(void)
{
	const struct thread *self = thread_self();

	while (self && !thread_has_tree(self) && mine.waits++ < PATIENCE) {
		struct thread *t = thread_use();

		if (t)
			thread_release(t);
		else
			sys0(SYS_sched_yield);
	}
}

PUBLIC void copse_team_enter(struct omp_team *team, uintptr_t frame, int size)
{
	struct team_level *level;
	struct thread *t;

	if (!team->master)
		return;
	await_tree();
	t = thread_use();
	if (!t)
		return;
	hold_team(t);
	level = t == team->master ? level_of_team(t, team)
				  : push_member(t, team, frame);
	if (level) {
		if (frame < level->frame)
			t->unwinder.floor = frame;
		level->size = (uint32_t)size;
		level->start = team_now(team->scale);
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
		count_member(t, team, root, level);
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

	copse_team_enter(team, (uintptr_t)__builtin_frame_address(0),
			 team->size());
	team->function(team->data);
	copse_team_leave(team);
}

static void team_forked(void)
{
	struct thread *t = thread_self();

	mine.depth = 0;
	mine.master = NULL;
	if (t)
		t->unwinder.floor = UINTPTR_MAX;
}

static void team_reset(struct thread *t)
{
	mine.depth = 0;
	mine.master = NULL;
	t->unwinder.floor = UINTPTR_MAX;
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
