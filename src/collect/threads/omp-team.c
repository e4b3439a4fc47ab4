/* SPDX-License-Identifier: BSD-3-Clause */
/* omp-team.c - see omp-team.h. */
#include "collect/threads/omp-team.h"

#include <dlfcn.h>

#include "base/hidden.h"
#include "collect/collect.h"
#include "collect/threads/omp-late.h"
#include "collect/regions/region-handler.h"
#include "collect/registry.h"
#include "collect/sampling/sample.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/unwind/loaded-object.h"

enum {
	LEVELS_SIZE = 4096 /* memory of levels: some 36 */
};

/* A member's waiting in its part, in units of team_now(). */
struct team_waits {
	uint64_t of[TEAM_WAITS];
};

/*
 * A context of the thread: its part of a region, or a task; and the state
 * before it, which is restored at its end.
 */
struct team_level {
	uintptr_t frame; /* valid as long as the stack reaches this */
	live_ref root;
	uintptr_t floor;
	struct omp_team *team;
	const void *task;      /* NULL: a part of the team's region */
	struct omp_slot *slot; /* NULL: none */
	uint64_t start;        /* 0: it has not begun, or has ended */
	uint32_t meetings;     /* number of meetings in the part so far */
	live_ref sampled;      /* this and the next: before, see `mine` */
	enum team_wait waits_for;
	uint64_t since;
	struct team_waits waited;
};

enum {
	LEVELS = LEVELS_SIZE / sizeof(struct team_level)
};

bool omp_teams;
uint32_t omp_team_largest = 1;

/* Mutable: the counter's rate; any master sets it. */
static struct ticks clock_of_teams;

/* The thread's own; read by its handler. */
static __thread struct {
	uint32_t depth, parts;     /* number of levels, of parts among them */
	struct team_level *levels; /* of the thread's record */
	/* The team whose end it has reached: its root is that of the region
	   until the master goes on.  NULL: none. */
	const struct thread *master;
	uint32_t level, number;
	struct omp_team *left;    /* the same; valid until the region ends */
	struct omp_slot *slot;    /* in it; NULL: none */
	uint32_t meetings;        /* in it, with its end */
	live_ref outside;         /* the root after the region */
	uint64_t since;           /* begin of its wait; 0: it does not wait */
	enum team_wait waits_for; /* in that wait */
	struct team_waits waited; /* in its part or task */
	uint64_t met;             /* end of the last meeting */
	live_ref sampled;         /* last sample in it; 0: none */
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

	mine.parts -= !l->task;
	mine.waited = l->waited;
	mine.since = l->since;
	mine.waits_for = l->waits_for;
	if (!mine.sampled) /* else the inner sample is the outer one's, too */
		mine.sampled = l->sampled;
	put_context(t, l->root, l->floor);
}

/* One more level; the caller has called has_room_for_level(). */
static struct team_level *push_level(struct thread *t, struct omp_team *team,
				     const void *task, uintptr_t frame,
				     live_ref root)
{
	struct team_level *l = &mine.levels[mine.depth];

	*l = (struct team_level){ .frame = frame,
				  .root = t->tree.root,
				  .floor = t->unwinder.floor,
				  .team = team,
				  .task = task,
				  .waits_for = mine.waits_for,
				  .since = mine.since,
				  .waited = mine.waited,
				  .sampled = mine.sampled };
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	mine.depth++;
	mine.parts += !task;
	mine.since = 0;
	mine.waited = (struct team_waits){ 0 };
	mine.sampled = 0;
	put_context(t, root, frame);
	return l;
}

static bool has_room_for_level(struct thread *t)
{
	if (!t->team_levels && thread_open())
		t->team_levels = sys_memory(LEVELS_SIZE);
	mine.levels = t->team_levels;
	return mine.levels && mine.depth < LEVELS;
}

PUBLIC struct omp_team *copse_team_room(uint32_t count)
{
	struct thread *t = thread_self();

	if (t && !t->teams_begun && thread_open())
		t->teams_begun = sys_memory(count * sizeof(struct omp_team));
	return t ? t->teams_begun : NULL;
}

static struct team_level *
look_for_level(struct thread *t, const struct omp_team *team, const void *task)
{
	uint32_t depth = mine.depth;

	while (depth && (mine.levels[depth - 1].team != team ||
			 mine.levels[depth - 1].task != task))
		depth--;
	if (!depth)
		return NULL;
	while (mine.depth > depth)
		pop_level(t);
	return &mine.levels[depth - 1];
}

/* Pops inner levels that a longjmp has left; NULL: it left this one, too. */
static inline struct team_level *level_of_team(struct thread *t,
					       const struct omp_team *team)
{
	struct team_level *level =
		mine.depth ? &mine.levels[mine.depth - 1] : NULL;

	return level && level->team == team && !level->task
		       ? level
		       : look_for_level(t, team, NULL);
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
	if (mine.depth && !mine.since)
		mine.sampled = node;
}

/* A sample that came since thread_use() belongs to the region. */
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
	omp_teams = true;
	unwind_hide(__builtin_return_address(0));
	ticks_init();
	if (thread_self())
		ticks_set(&thread_self()->ticks);
}

PUBLIC uint32_t copse_team_code(void)
{
	return registry_code_generation();
}

/* The key is the members' function, or the call if that is not known. */
static live_ref walk_to_team(struct thread *t, const struct omp_team *team)
{
	const struct region *r = &team->call;
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	uintptr_t code = team->function ? (uintptr_t)team->function : r->pc - 1;
	struct registry_module module;
	struct loaded_object object;
	live_ref node;
	int why;

	if (!loaded_object_find(&object, (const void *)code) ||
	    !registry_module(&module, &object, &t->unwinder.reader))
		return 0;
	node = thread_path(t, &caller, false, NULL, &why);
	return node ? tree_child(&t->tree, node, LIVE_NODE_REGION, module.index,
				 code - module.base)
		    : 0;
}

static live_ref node_of_team(struct thread *t, const struct omp_team *team)
{
	struct site *site = t->sites ? callsite_find(t->sites, t->tree.root,
						     &team->call, &t->unwinder)
				     : NULL;
	live_ref node;

	if (site)
		return site->node;
	node = thread_open() ? walk_to_team(t, team) : 0;
	if (node)
		callsite_learn(t, &team->call, node);
	return node;
}

/*
 * Times are by the counter once its rate is known, else by the kernel's clock.
 * A region in which measuring was paused or resumed has no times.
 */
static inline uint64_t team_now(const struct omp_team *team)
{
	return team->counts ? timestamp_read() : time_now(CLOCK_MONOTONIC);
}

uint64_t omp_team_ns(const struct omp_team *team, uint64_t passed)
{
	return team->counts ? ticks_took(&clock_of_teams, passed) : passed;
}

/* The clocks of members need not be set yet. */
static void begin_team_times(struct thread *t, struct omp_team *team)
{
	int64_t paused = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);
	uint64_t now = timestamp_read();

	if (!t->ticks.scale || now - t->ticks.counter > TICKS_TRUSTED)
		ticks_set(&t->ticks);
	/* MPI calls may have set the thread's clock before. */
	if (!clock_of_teams.scale ||
	    (int64_t)(t->ticks.counter - clock_of_teams.counter) >
		    (int64_t)TICKS_TRUSTED)
		clock_of_teams = t->ticks;
	team->paused = (uint32_t)paused;
	team->timed = paused >= 0;
	team->counts = t->ticks.is_clock;
	team->begin = team->counts ? now : team_now(team);
}

static inline bool is_timed(const struct omp_team *team)
{
	int64_t paused = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);

	return team->timed && paused >= 0 && team->paused == (uint32_t)paused;
}

/* A member's work and waiting in a part or task that took so long. */
static void count_work(struct thread *t, const struct omp_team *team,
		       live_ref outside, uint64_t took)
{
	static const enum omp_place_value values[TEAM_WAITS] = {
		[TEAM_MEETS] = PLACE_BARRIER,
		[TEAM_TASKS] = PLACE_BARRIER,
		[TEAM_LOCK] = PLACE_LOCK,
	};
	struct omp_place *place = omp_place_find(
		t, &t->omp_places, team->node, t == team->master ? 0 : outside);

	if (!place || !is_timed(team))
		return;
	for (int i = 0; i < TEAM_WAITS; i++) {
		uint64_t waited = mine.waited.of[i];

		waited = waited < took ? waited : took;
		took -= waited;
		omp_place_add(t, place, values[i], omp_team_ns(team, waited));
	}
	omp_place_add(t, place, PLACE_WORK, omp_team_ns(team, took));
}

/* By each member, when it comes to the end; when that was. */
static uint64_t count_member(struct thread *t, const struct omp_team *team,
			     struct team_level *level)
{
	uint64_t now = team_now(team);

	omp_slot_came(level->slot, team, ++level->meetings, mine.sampled, now);
	count_work(t, team, level->root, now - level->start);
	return now;
}

/* By the master: elapsed time of the region times its members. */
static void count_region(struct thread *t, const struct omp_team *team,
			 uint32_t meetings)
{
	struct omp_place *place =
		omp_place_find(t, &t->omp_places, team->node, 0);
	uint64_t now = team_now(team), passed = now - team->begin;

	if (!team->members || !place || !is_timed(team))
		return;
	omp_place_add(t, place, PLACE_REGIONS, 1);
	omp_place_add(t, place, PLACE_MEMBERS, team->members);
	omp_place_add(t, place, PLACE_TIME,
		      omp_team_ns(team, passed * team->members));
	if (meetings)
		omp_late_count(t, team, meetings,
			       meetings > 1 ? now - mine.met : passed);
}

/* The part or task that the thread runs, or NULL. */
static inline struct team_level *level_at_work(void)
{
	struct team_level *level;

	if (!mine.depth)
		return NULL;
	level = &mine.levels[mine.depth - 1];
	return level->start ? level : NULL;
}

/* From then on readers see that the thread waits in its region, or task. */
static void open_team_wait(const struct omp_team *team, uint64_t since)
{
	struct thread *t = thread_self();

	if (thread_has_tree(t))
		thread_wait_open(t, t->tree.root,
				 team->counts ? ticks_at(&clock_of_teams, since)
					      : since);
}

static void close_team_wait(void)
{
	struct thread *t = thread_self();

	if (thread_has_tree(t))
		thread_wait_close(t);
}

PUBLIC bool copse_team_wait(enum team_wait what)
{
	struct team_level *level = level_at_work();

	if (!level || mine.since)
		return false;
	mine.waits_for = what;
	mine.since = team_now(level->team);
	open_team_wait(level->team, mine.since);
	if (what == TEAM_MEETS && !level->task)
		omp_slot_came(level->slot, level->team, ++level->meetings,
			      mine.sampled, mine.since);
	return true;
}

/* The master finds who came last. */
static void meeting_over(const struct team_level *level, uint64_t now)
{
	struct thread *t = thread_self();
	const struct omp_team *team = level->team;
	uint64_t before = level->meetings > 1 ? mine.met : level->start;

	if (t != team->master || team->members < 2 || level->task ||
	    !is_timed(team) || !thread_occupy(t))
		return;
	hold_team(t);
	omp_late_count(t, team, level->meetings, now - before);
	mine.met = now;
	release_team(t, t->tree.root);
}

/* A longjmp may have ended the wait already. */
PUBLIC void copse_team_go_on(bool waited)
{
	const struct team_level *level = waited ? level_at_work() : NULL;
	uint64_t now;

	if (!level || !mine.since)
		return;
	now = team_now(level->team);
	mine.waited.of[mine.waits_for] += now - mine.since;
	mine.since = 0;
	close_team_wait();
	if (mine.waits_for == TEAM_MEETS)
		meeting_over(level, now);
}

PUBLIC void copse_team_at_once(void)
{
	mine.since = 0;
	close_team_wait();
}

static inline bool is_on_own_stack(const struct thread *t, uintptr_t frame)
{
	return frame >= t->unwinder.low && frame < t->unwinder.high;
}

static void begin_team(struct thread *t, struct omp_team *team, uintptr_t frame)
{
	team->level = (uint8_t)mine.parts;
	team->number = ++t->teams;
	omp_slots_prepare(t, team->level, 0);
	push_level(t, team, NULL, frame, team->node);
	team->master = t;
	team->profile = t->generation;
	team->members = 0;
	begin_team_times(t, team);
}

/*
 * Or NULL.  A new thread gets its tree now; otherwise the region would lack its
 * part.
 */
static inline struct thread *thread_with_tree(void)
{
	struct thread *t = thread_self();

	if (t && !thread_has_tree(t)) {
		t = thread_use();
		if (t)
			thread_release(t);
	}
	return t;
}

static void find_team_node(struct thread *t, struct omp_team *team,
			   const struct region_frame *caller)
{
	struct region *r = &team->call; /* nothing else of it is used */

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
	if (mine.parts < THREAD_TEAMS && is_on_own_stack(t, frame) &&
	    has_room_for_level(t))
		find_team_node(t, team, caller);
	if (team->node)
		begin_team(t, team, frame);
	release_team(t, team->node ? team->node : t->tree.root);
}

PUBLIC void copse_team_end(struct omp_team *team)
{
	struct thread *t = team->master ? thread_self() : NULL;
	const struct team_level *level;
	uint32_t meetings = 0;

	if (!t || t != team->master)
		return;
	__atomic_store_n(&t->teams_ended[team->level], team->number,
			 __ATOMIC_RELEASE);
	/* A child that was forked in the region has another profile. */
	if (!thread_has_tree(t) || team->profile != t->generation ||
	    !thread_occupy(t))
		return;
	hold_team(t);
	close_team_wait();
	level = level_of_team(t, team);
	if (level) {
		meetings = level->meetings;
		pop_level(t);
	}
	count_region(t, team, meetings);
	omp_slots_prepare(t, team->level, team->members);
	release_team(t, team->node);
}

/* The level of a member other than the master; NULL: no memory. */
static struct team_level *push_member(struct thread *t, struct omp_team *team,
				      uintptr_t frame)
{
	struct omp_place *place = NULL;

	if (mine.parts < THREAD_TEAMS && is_on_own_stack(t, frame) &&
	    has_room_for_level(t)) {
		if (mine.master)
			leave_team(t);
		place = omp_place_find(t, &t->omp_places, team->node,
				       t->tree.root);
	}
	if (!place)
		return NULL;
	return push_level(t, team, NULL, frame, place->root);
}

static struct team_level *level_of_member(struct thread *t,
					  struct omp_team *team,
					  uintptr_t frame, int size)
{
	if (t != team->master)
		return push_member(t, team, frame);
	team->members = (uint32_t)size;
	if (team->members > omp_team_largest)
		__atomic_store_n(&omp_team_largest, team->members,
				 __ATOMIC_RELAXED);
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
			level->slot = omp_slot_of_member(team, (uint32_t)index);
		level->start = team_now(team);
	}
	release_team(t, t->tree.root);
}

/* The master waits in its own region, until copse_team_end(). */
static void wait_for_team(struct thread *t, struct omp_team *team,
			  live_ref root)
{
	mine.slot = mine.levels[mine.depth - 1].slot;
	mine.meetings = mine.levels[mine.depth - 1].meetings;
	pop_level(t);
	mine.outside = t->tree.root;
	mine.level = team->level;
	mine.number = team->number;
	mine.left = team;
	mine.master = team->master;
	t->tree.root = root;
}

PUBLIC void copse_team_leave(struct omp_team *team)
{
	/* A forked child has no level. */
	struct thread *t = team->master && mine.depth ? thread_self() : NULL;
	struct team_level *level;
	uint64_t now;
	live_ref root;

	if (!t || !thread_occupy(t))
		return;
	hold_team(t);
	level = level_of_team(t, team);
	root = t->tree.root;
	if (level && level->start) {
		now = count_member(t, team, level);
		level->start = 0;
		mine.waited = (struct team_waits){ 0 };
		mine.since = 0;
		if (t == team->master) {
			t->unwinder.floor = level->frame;
			open_team_wait(team, now);
		} else {
			wait_for_team(t, team, root);
		}
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

/*
 * Tasks.  A task is work of its thread's part, or of the region if the part has
 * ended.
 */

/* The task of the same code above the node, in which this one is made. */
static live_ref task_around(struct thread *t, live_ref node, uint32_t module,
			    uint64_t offset)
{
	while (node) {
		const struct live_node *n = arena_at(t->tree.arena, node);

		if (n->kind == LIVE_NODE_REGION && n->owner == module &&
		    n->offset == offset)
			return node;
		if (n->kind == LIVE_NODE_ROOT ||
		    (n->kind == LIVE_NODE_REGION &&
		     !(n->offset & LIVE_REGION_TASK)))
			return 0;
		node = n->kind == LIVE_NODE_BELOW ? (live_ref)n->offset
						  : n->parent;
	}
	return 0;
}

/* Tasks that make tasks of their own code share a node. */
static live_ref walk_to_task(struct thread *t, const struct region *r)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	uintptr_t code = r->inside ? r->inside : r->pc - 1;
	struct registry_module module;
	struct loaded_object object;
	live_ref node, around;
	uint64_t offset;
	int why;

	if (!loaded_object_find(&object, (const void *)code) ||
	    !registry_module(&module, &object, &t->unwinder.reader))
		return 0;
	node = thread_path(t, &caller, false, NULL, &why);
	if (!node)
		return 0;
	offset = (code - module.base) | LIVE_REGION_TASK |
		 (r->inside ? 0 : LIVE_REGION_CALL);
	around = task_around(t, node, module.index, offset);
	return around ? around
		      : tree_child(&t->tree, node, LIVE_NODE_REGION,
				   module.index, offset);
}

static live_ref node_of_task(struct thread *t, const struct region *r)
{
	struct site *site = t->sites ? callsite_find(t->sites, t->tree.root, r,
						     &t->unwinder)
				     : NULL;
	live_ref node;

	if (site)
		return site->node;
	node = thread_open() ? walk_to_task(t, r) : 0;
	if (node)
		callsite_learn(t, r, node);
	return node;
}

PUBLIC struct omp_task copse_team_task_new(void (*function)(void *),
					   const struct region_frame *caller)
{
	struct region r = { .pc = caller->pc,
			    .sp = caller->sp,
			    .fp = caller->fp,
			    .inside = (uintptr_t)function };
	struct thread *t = level_at_work() ? thread_self() : NULL;
	struct omp_task task = { 0 };

	if (!t || !thread_has_tree(t) || !thread_occupy(t))
		return task;
	hold_team(t);
	task.node = node_of_task(t, &r);
	task.profile = t->generation;
	release_team(t, task.node ? task.node : t->tree.root);
	return task;
}

/* The team that the thread is in, also after its part; else the task's. */
static struct omp_team *team_of_task(struct thread *t, struct omp_team *its)
{
	if (mine.depth)
		return mine.levels[mine.depth - 1].team;
	if (mine.master && !is_team_over())
		return mine.left;
	if (mine.master)
		leave_team(t);
	return its && its->master ? its : NULL;
}

/* The root of the thread's own nodes. */
static live_ref root_outside(const struct thread *t)
{
	if (mine.master)
		return mine.outside;
	return mine.depth ? mine.levels[0].root : t->tree.root;
}

static void begin_task(struct thread *t, struct omp_team *team,
		       const struct omp_task *task, const void *id,
		       uintptr_t frame)
{
	bool known = task->node && task->profile == t->generation;
	struct omp_place *place =
		known ? omp_place_find(t, &t->omp_places, task->node,
				       root_outside(t))
		      : NULL;
	uint64_t now = team_now(team);
	struct team_level *level;

	if (mine.since)
		mine.waited.of[mine.waits_for] += now - mine.since;
	close_team_wait();
	level = push_level(t, team, id, frame,
			   place ? place->root : t->tree.root);
	level->start = now;
	if (!place)
		t->unwinder.floor = level->floor;
}

PUBLIC void copse_team_task_begin(const struct omp_task *task, const void *id,
				  uintptr_t frame, struct omp_team *its)
{
	struct thread *t =
		mine.depth || mine.master || its ? thread_with_tree() : NULL;
	struct omp_team *team;

	if (!t || !thread_occupy(t))
		return;
	hold_team(t);
	team = team_of_task(t, its);
	if (team && is_on_own_stack(t, frame) && has_room_for_level(t))
		begin_task(t, team, task, id, frame);
	release_team(t, t->tree.root);
}

/*
 * After the part: the task is counted here, and the member came later.  Before
 * the part: the member has come to no meeting yet.
 */
static void count_task_outside(struct thread *t, const struct team_level *level,
			       uint64_t now)
{
	const struct team_level *part =
		mine.depth > 1 ? &mine.levels[mine.depth - 2] : NULL;

	if (part || mine.master)
		omp_slot_came(part ? part->slot : mine.slot, level->team,
			      part ? part->meetings : mine.meetings,
			      mine.sampled, now);
	count_work(t, level->team, root_outside(t), now - level->start);
}

/* The thread goes on to wait, after a task that it ran meanwhile. */
static bool waits_after_task(const struct thread *t)
{
	const struct team_level *part =
		mine.depth ? &mine.levels[mine.depth - 1] : NULL;

	return mine.since || (part && !part->start && part->team->master == t);
}

static void end_task(struct thread *t, const struct team_level *level)
{
	const struct omp_team *team = level->team;
	uint64_t now = team_now(level->team);
	struct team_waits waited = mine.waited;
	bool outside = mine.depth < 2 || !mine.levels[mine.depth - 2].start;

	if (outside)
		count_task_outside(t, level, now);
	pop_level(t);
	for (int i = 0; i < TEAM_WAITS && !outside; i++)
		mine.waited.of[i] += waited.of[i];
	if (mine.since)
		mine.since = now;
	if (waits_after_task(t))
		open_team_wait(team, now);
}

PUBLIC void copse_team_task_end(const void *id)
{
	struct thread *t = mine.depth ? thread_self() : NULL;
	const struct team_level *level;
	uint32_t depth;

	if (!t || !thread_occupy(t))
		return;
	hold_team(t);
	depth = mine.depth;
	while (depth && mine.levels[depth - 1].task != id)
		depth--;
	level = depth ? &mine.levels[depth - 1] : NULL;
	while (level && mine.depth > depth)
		pop_level(t);
	if (level)
		end_task(t, level);
	release_team(t, t->tree.root);
}

PUBLIC bool copse_team_task_is_begun(const void *id)
{
	for (uint32_t i = 0; i < mine.depth; i++)
		if (mine.levels[i].task == id)
			return true;
	return false;
}

/* No level, whatever there was. */
AT_FORK static void forget_levels(void)
{
	mine.depth = mine.parts = 0;
	mine.since = 0;
	mine.master = NULL;
}

AT_FORK static void team_reset(struct thread *t)
{
	forget_levels();
	t->unwinder.floor = UINTPTR_MAX;
	if (t->has_places)
		t->omp_places = (struct omp_places){ 0 };
	t->has_places = false;
}

AT_FORK static void team_forked(void)
{
	struct thread *t = thread_self();

	forget_levels();
	if (t)
		team_reset(t);
}

/* The thread ends in or after a region; the record's next one is in none. */
static void team_thread_gone(struct thread *t)
{
	const struct live_node *node;

	if (!t->ready || (!mine.depth && !mine.master))
		return;
	forget_levels();
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
