/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompt.h - of the interface of OpenMP for tools (OMPT, OpenMP 5.0 chapter 4)
 * what ompt.c uses.  Runtimes have it, compilers need not: gcc comes without
 * omp-tools.h.
 */
#ifndef OPENMP_OMPT_H
#define OPENMP_OMPT_H

#include <stdint.h>

union ompt_data {
	uint64_t value;
	void *ptr;
};

struct ompt_frame {
	void *exit_frame; /* of the task's code; NULL: the runtime is at work */
	void *enter_frame; /* of the runtime's function that was called last */
	int exit_flags, enter_flags;
};

enum ompt_endpoint {
	OMPT_BEGIN = 1,
	OMPT_END = 2
};

enum ompt_sync {                   /* some of them */
	OMPT_BARRIER_IMPLICIT = 2, /* before 5.1 for any */
	OMPT_BARRIER_IMPLICIT_PARALLEL = 9,
	OMPT_BARRIER_TEAMS = 10
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

#endif
