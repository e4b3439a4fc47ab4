/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompt.c - runtimes that report their regions by callbacks (OMPT): LLVM's
 * libomp, and Intel's, AMD's and others' by the same functions.  Each copy of
 * a runtime asks for a tool when it starts.
 */
#include "openmp/ompt.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hidden.h"
#include "collect/threads/omp-team.h"
#include "openmp/runtime.h"

enum {
	TEAMS = 8,            /* nested ones that one thread began */
	RUNTIME_FRAMES = 4096 /* bytes of stack of the runtime's functions */
};

/*
 * The thread's own; other members read a team until its region has ended.
 * Regions end in the order in which they began.  So the runtime's data of the
 * ending region are not used: libomp 14 may have reused their memory.
 */
static __thread struct {
	struct omp_team *teams; /* TEAMS; without a master: not measured */
	uint32_t begun;         /* nested regions */
	uint64_t waits;         /* a bit for each nested wait: is it counted? */
	bool locked;            /* the wait for a lock is counted */
} own __attribute__((tls_model("initial-exec")));

__thread struct ompt_free ompt_free __attribute__((tls_model("initial-exec")));

/* Mutable: set when the first runtime starts. */
static ompt_get_task_info *get_task_info;

/*
 * The program's call of the runtime, which called us from `inside`; false: not
 * known.  enter_frame is the frame of the runtime's function; a frame pointer
 * leads to the caller's frame pointer and the return address.  libomp 14 leaves
 * it uninitialised in a task that has not called the runtime before; then it
 * does not lead to `code`, where that is not NULL.
 */
static bool frame_of_call(struct region_frame *caller,
			  const struct ompt_frame *frame, const void *code,
			  uintptr_t inside)
{
	const uintptr_t *at = frame ? frame->enter_frame : NULL;

	if ((uintptr_t)at - inside >= RUNTIME_FRAMES || (uintptr_t)at % 8 ||
	    (code && at[1] != (uintptr_t)code))
		return false;
	*caller = (struct region_frame){ at[1], (uintptr_t)(at + 2), at[0] };
	return true;
}

/* libomp 11's `code` may be that of the call of omp_set_lock() before. */
static void ompt_begin(union ompt_data *task, const struct ompt_frame *frame,
		       union ompt_data *parallel, unsigned int requested,
		       int flags, const void *code)
{
	struct region_frame caller;
	struct omp_team *team;

	(void)task;
	(void)requested;
	(void)flags;
	(void)code;
	parallel->ptr = NULL;
	if (!own.begun)
		own.teams = copse_team_room(TEAMS);
	if (own.begun++ >= TEAMS || !own.teams)
		return;
	team = &own.teams[own.begun - 1];
	team->master = NULL;
	if (!frame_of_call(&caller, frame, NULL,
			   (uintptr_t)__builtin_dwarf_cfa()))
		return;
	copse_team_begin(team, NULL, &caller,
			 caller.sp - 2 * sizeof(caller.sp));
	parallel->ptr = team;
}

static void ompt_end(union ompt_data *parallel, union ompt_data *task,
		     int flags, const void *code)
{
	(void)parallel;
	(void)task;
	(void)flags;
	(void)code;
	if (own.begun && --own.begun < TEAMS && own.teams)
		copse_team_end(&own.teams[own.begun]);
}

/* The region that the thread began last, or NULL. */
static struct omp_team *team_begun(void)
{
	return own.begun && own.begun <= TEAMS && own.teams
		       ? &own.teams[own.begun - 1]
		       : NULL;
}

/* The only member of a region has begun it. */
static void ompt_member(enum ompt_endpoint at, union ompt_data *parallel,
			union ompt_data *task, unsigned int size,
			unsigned int index, int flags)
{
	/* The runtime's function that called us also calls the program. */
	uintptr_t frame = (uintptr_t)__builtin_dwarf_cfa();
	struct omp_team *team =
		at == OMPT_BEGIN && size > 1 ? parallel->ptr : team_begun();

	(void)task;
	(void)flags;
	if (!team)
		return;
	if (at == OMPT_BEGIN)
		copse_team_enter(team, index ? frame : UINTPTR_MAX, (int)index,
				 (int)size);
	else
		copse_team_leave(team);
}

static bool is_at_end(int kind)
{
	struct ompt_frame *frame = NULL;

	if (kind == OMPT_BARRIER_IMPLICIT)
		return get_task_info(0, NULL, NULL, &frame, NULL, NULL) &&
		       frame && !frame->exit_frame;
	return kind == OMPT_BARRIER_IMPLICIT_PARALLEL ||
	       kind == OMPT_BARRIER_TEAMS;
}

static bool is_barrier(int kind)
{
	return kind <= OMPT_BARRIER_LAST || kind >= OMPT_BARRIER_WORKSHARE;
}

/*
 * The runtime reports the end of a worker's last wait when the next region
 * begins.  No wait is open then, and nothing is counted.
 */
static void ompt_sync(int kind, enum ompt_endpoint at,
		      union ompt_data *parallel, union ompt_data *task,
		      const void *code)
{
	(void)task;
	(void)code;
	if (at == OMPT_BEGIN && is_at_end(kind)) {
		own.waits <<= 1;
		if (parallel && parallel->ptr)
			copse_team_leave(parallel->ptr);
	} else if (at == OMPT_BEGIN) {
		own.waits = own.waits << 1 |
			    copse_team_wait(is_barrier(kind) ? TEAM_MEETS
							     : TEAM_TASKS);
	} else {
		copse_team_go_on(own.waits & 1);
		own.waits >>= 1;
	}
}

static void ompt_acquire(int kind, unsigned int hint,
			 unsigned int implementation, uint64_t wait_id,
			 const void *code)
{
	(void)kind;
	(void)hint;
	(void)implementation;
	(void)wait_id;
	(void)code;
	own.locked = copse_team_wait(TEAM_LOCK);
}

static bool ompt_was_free(void)
{
	return ompt_free.given &&
	       __atomic_load_n(ompt_free.given, __ATOMIC_RELAXED) ==
		       ompt_free.before;
}

/* The runtime reports no acquisition of a lock that the thread holds. */
static void ompt_acquired(int kind, uint64_t wait_id, const void *code)
{
	(void)kind;
	(void)wait_id;
	(void)code;
	if (own.locked && ompt_was_free())
		copse_team_at_once();
	else if (own.locked)
		copse_team_go_on(true);
	own.locked = false;
}

/* A task's data contain its struct omp_task. */
_Static_assert(sizeof(struct omp_task) == sizeof(union ompt_data),
	       "a task is as large as the data that it may keep");

static void ompt_task(union ompt_data *by, const struct ompt_frame *frame,
		      union ompt_data *made, int flags, int depends,
		      const void *code)
{
	struct omp_task task = { 0 };
	struct region_frame caller;

	(void)by;
	(void)depends;
	made->value = 0;
	if (!(flags & OMPT_TASK_EXPLICIT))
		return;
	if (frame_of_call(&caller, frame, code,
			  (uintptr_t)__builtin_dwarf_cfa()))
		task = copse_team_task_new(NULL, &caller);
	task.told = 1;
	memcpy(made, &task, sizeof(task));
}

/*
 * A task that goes on after another task ran within it has begun already.  A
 * thread that looks for tasks at the end of a region may get one of the next
 * region before it is reported as its member: the runtime knows the team.
 */
static void ompt_schedule(union ompt_data *before, int why,
			  union ompt_data *next)
{
	union ompt_data *parallel = NULL;
	struct ompt_frame *frame = NULL;
	struct omp_task task;

	if (before && before->value &&
	    (why == OMPT_TASK_COMPLETE || why == OMPT_TASK_CANCEL || !next ||
	     !next->value || copse_team_task_is_begun(next)))
		copse_team_task_end(before);
	if (!next || !next->value || copse_team_task_is_begun(next))
		return;
	memcpy(&task, next, sizeof(task));
	if (get_task_info(0, NULL, NULL, &frame, &parallel, NULL) && frame)
		copse_team_task_begin(&task, next, (uintptr_t)frame->exit_frame,
				      parallel ? parallel->ptr : NULL);
}

static int ompt_initialize(ompt_look_up *look_up, int device,
			   union ompt_data *tool)
{
	static const struct {
		enum ompt_event event;
		ompt_any callback;
	} events[] = {
		{ OMPT_PARALLEL_BEGIN, (ompt_any)ompt_begin },
		{ OMPT_PARALLEL_END, (ompt_any)ompt_end },
		{ OMPT_IMPLICIT_TASK, (ompt_any)ompt_member },
		{ OMPT_TASK_CREATE, (ompt_any)ompt_task },
		{ OMPT_TASK_SCHEDULE, (ompt_any)ompt_schedule },
		{ OMPT_SYNC_WAIT, (ompt_any)ompt_sync },
		{ OMPT_ACQUIRE, (ompt_any)ompt_acquire },
		{ OMPT_ACQUIRED, (ompt_any)ompt_acquired },
	};
	ompt_set_callback *set =
		(ompt_set_callback *)look_up("ompt_set_callback");

	(void)device;
	(void)tool;
	get_task_info = (ompt_get_task_info *)look_up("ompt_get_task_info");
	if (!set || !get_task_info)
		return 0;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		set(events[i].event, events[i].callback);
	return 1;
}

static void ompt_finalize(union ompt_data *tool)
{
	(void)tool;
}

/*
 * A runtime has one tool.  The program's own tool goes first, and so does the
 * one that the thread sanitizer needs.
 */
static bool is_for_another_tool(void)
{
	const char *libraries = secure_getenv("OMP_TOOL_LIBRARIES");
	bool is =
		(libraries && *libraries) || dlsym(RTLD_DEFAULT, "__tsan_init");

	dlerror();
	return is;
}

PUBLIC struct ompt_tool *ompt_start_tool(unsigned int version,
					 const char *runtime);
struct ompt_tool *ompt_start_tool(unsigned int version, const char *runtime)
{
	static struct ompt_tool tool = { ompt_initialize,
					 ompt_finalize,
					 { 0 } };
	struct ompt_tool *(*next)(unsigned int, const char *) =
		runtime_other_tool();

	if (next)
		return next(version, runtime);
	return is_for_another_tool() ? NULL : &tool;
}
