/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * early-task.c - a runtime of OpenMP that tells a tool of two regions (OMPT).
 * In the second one a thread does a task before it is a member, as LLVM's does
 * when it still looks for work at the end of the first region.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "openmp/ompt.h"
#include "known.h"

enum {
	MEMBERS = 2,
	EVENTS = 32,
	NEW = 7 /* why a task goes on: none of ompt_task_status */
};

typedef struct ompt_tool *start_tool(unsigned int version, const char *name);

static ompt_any tool_calls[EVENTS];
static union ompt_data region, task, made; /* made: the task's */
static struct ompt_frame frame_of_task;
static bool first_is_over, second_has_begun, all_are_there;
static double early;

#define TELL(type, event) ((type *)tool_calls[event])

static int set_callback(enum ompt_event event, ompt_any callback)
{
	tool_calls[event] = callback;
	return 5; /* it will be called whenever that happens */
}

static int task_info(int ancestor, int *flags, union ompt_data **data,
		     struct ompt_frame **frame, union ompt_data **parallel,
		     int *index)
{
	(void)ancestor;
	(void)flags;
	(void)index;
	if (data)
		*data = &made;
	if (frame)
		*frame = &frame_of_task;
	if (parallel)
		*parallel = &region;
	return 2;
}

static ompt_any look_up(const char *name)
{
	if (!strcmp(name, "ompt_set_callback"))
		return (ompt_any)set_callback;
	return strcmp(name, "ompt_get_task_info") ? NULL : (ompt_any)task_info;
}

static void say(bool *what)
{
	__atomic_store_n(what, true, __ATOMIC_SEQ_CST);
}

static void await(const bool *what)
{
	while (!__atomic_load_n(what, __ATOMIC_SEQ_CST))
		;
}

static KEPT void in_piece(double s)
{
	early += work_for(s);
}

/* What a runtime calls a task from. */
static KEPT void do_task(void)
{
	frame_of_task.exit_frame = __builtin_frame_address(0);
	TELL(ompt_task_schedule, OMPT_TASK_SCHEDULE)(&task, NEW, &made);
	in_piece(0.3);
	TELL(ompt_task_schedule, OMPT_TASK_SCHEDULE)
	(&made, OMPT_TASK_COMPLETE, &task);
}

static void member(enum ompt_endpoint at, unsigned int index)
{
	TELL(ompt_implicit_task, OMPT_IMPLICIT_TASK)
	(at, at == OMPT_BEGIN ? &region : NULL, &task, MEMBERS, index, 0);
}

static void wait_at_end(enum ompt_endpoint at)
{
	TELL(ompt_sync_region, OMPT_SYNC_WAIT)
	(OMPT_BARRIER_IMPLICIT_PARALLEL, at, &region, &task, NULL);
}

static void *worker(void *unused)
{
	member(OMPT_BEGIN, 1);
	wait_at_end(OMPT_BEGIN);
	say(&first_is_over);
	await(&second_has_begun);
	do_task();
	wait_at_end(OMPT_END);
	member(OMPT_END, 1);
	member(OMPT_BEGIN, 1);
	wait_at_end(OMPT_BEGIN);
	say(&all_are_there);
	return unused;
}

static struct ompt_frame frame_here(void *frame)
{
	return (struct ompt_frame){ .enter_frame = frame };
}

/* The call of the runtime that begins a region. */
static KEPT void fork_call(const bool *over, bool makes_task)
{
	struct ompt_frame frame = frame_here(__builtin_frame_address(0));
	const void *code = __builtin_return_address(0);

	TELL(ompt_parallel_begin, OMPT_PARALLEL_BEGIN)
	(&task, &frame, &region, MEMBERS, 0, code);
	member(OMPT_BEGIN, 0);
	if (makes_task) {
		TELL(ompt_task_create, OMPT_TASK_CREATE)
		(&task, &frame, &made, OMPT_TASK_EXPLICIT, 0, code);
		say(&second_has_begun);
	}
	wait_at_end(OMPT_BEGIN);
	await(over);
	wait_at_end(OMPT_END);
	member(OMPT_END, 0);
	TELL(ompt_parallel_end, OMPT_PARALLEL_END)(&region, &task, 0, code);
}

int main(void)
{
	start_tool *start =
		(start_tool *)dlsym(RTLD_DEFAULT, "ompt_start_tool");
	struct ompt_tool *tool = start ? start(201811, "made") : NULL;
	pthread_t thread;

	if (!tool || !tool->initialize(look_up, 0, &tool->tool))
		return 1;
	pthread_create(&thread, NULL, worker, NULL);
	fork_call(&first_is_over, false); /* the first region */
	fork_call(&all_are_there, true);  /* the second region */
	pthread_join(thread, NULL);
	truth("early", early);
	return 0;
}
