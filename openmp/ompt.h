/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompt.h - the part of OpenMP's interface for tools that ompt.c uses (OMPT,
 * OpenMP 5.0 chapter 4).  Declared here, because gcc has no omp-tools.h.
 */
#pragma once

#include <stdint.h>

#include "base/hidden.h"

/*
 * The thread's own: it asks for a critical section that seems to be free and
 * that nobody has waited for.  If the section was not released meanwhile, there
 * was no wait, and no second stamp is taken.
 */
extern HIDDEN __thread struct ompt_free {
	const uint32_t *given; /* number of releases; NULL: not known */
	uint32_t before;
} ompt_free __attribute__((tls_model("initial-exec")));

union ompt_data {
	uint64_t value;
	void *ptr;
};

struct ompt_frame {
	void *exit_frame;  /* of the task's code; NULL: in the runtime */
	void *enter_frame; /* of the runtime's function called last */
	int exit_flags, enter_flags;
};

enum ompt_endpoint {
	OMPT_BEGIN = 1,
	OMPT_END = 2
};

enum ompt_sync {                   /* some of them */
	OMPT_BARRIER_IMPLICIT = 2, /* before 5.1 any implicit one */
	OMPT_BARRIER_LAST = 4,     /* 5 to 7: for tasks, reductions */
	OMPT_BARRIER_WORKSHARE = 8,
	OMPT_BARRIER_IMPLICIT_PARALLEL = 9,
	OMPT_BARRIER_TEAMS = 10
};

enum {
	OMPT_TASK_EXPLICIT = 4
};

enum ompt_task_status { /* some of them: why the thread switches tasks */
	OMPT_TASK_COMPLETE = 1,
	OMPT_TASK_CANCEL = 3
};

typedef void ompt_parallel_begin(union ompt_data *task,
				 const struct ompt_frame *frame,
				 union ompt_data *parallel,
				 unsigned int requested, int flags,
				 const void *code);
typedef void ompt_parallel_end(union ompt_data *parallel, union ompt_data *task,
			       int flags, const void *code);
typedef void ompt_implicit_task(enum ompt_endpoint at,
				union ompt_data *parallel,
				union ompt_data *task, unsigned int size,
				unsigned int index, int flags);
typedef void ompt_task_create(union ompt_data *by,
			      const struct ompt_frame *frame,
			      union ompt_data *made, int flags, int depends,
			      const void *code);
typedef void ompt_task_schedule(union ompt_data *before, int why,
				union ompt_data *next);
typedef void ompt_sync_region(int kind, enum ompt_endpoint at,
			      union ompt_data *parallel, union ompt_data *task,
			      const void *code);
typedef void ompt_mutex_acquire(int kind, unsigned int hint,
				unsigned int implementation, uint64_t wait_id,
				const void *code);
typedef void ompt_mutex(int kind, uint64_t wait_id, const void *code);

enum ompt_event {
	OMPT_PARALLEL_BEGIN = 3, /* ompt_parallel_begin */
	OMPT_PARALLEL_END = 4,   /* ompt_parallel_end */
	OMPT_TASK_CREATE = 5,    /* ompt_task_create */
	OMPT_TASK_SCHEDULE = 6,  /* ompt_task_schedule */
	OMPT_IMPLICIT_TASK = 7,  /* ompt_implicit_task */
	OMPT_SYNC_WAIT = 16,     /* ompt_sync_region */
	OMPT_ACQUIRE = 26,       /* ompt_mutex_acquire */
	OMPT_ACQUIRED = 27       /* ompt_mutex */
};

typedef void (*ompt_any)(void);
typedef ompt_any ompt_look_up(const char *name);
typedef int ompt_set_callback(enum ompt_event event, ompt_any callback);
typedef int ompt_get_task_info(int ancestor, int *flags, union ompt_data **task,
			       struct ompt_frame **frame,
			       union ompt_data **parallel, int *index);

struct ompt_tool {
	int (*initialize)(ompt_look_up *look_up, int device,
			  union ompt_data *tool);
	void (*finalize)(union ompt_data *tool);
	union ompt_data tool;
};
