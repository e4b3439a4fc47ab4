/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tasks.h - tasks of libgomp: in place of the program's function the runtime
 * calls one of ours, which finds behind the task's data what it is.  The data
 * themselves stay where they are: the runtime writes into them (a loop's
 * bounds, an event) and reads them (a reduction's).
 *
 * Threads   Any; one task is made at a time by each.
 */
#ifndef OPENMP_TASKS_H
#define OPENMP_TASKS_H

#include <stdbool.h>

#include "base/hidden.h"
#include "collect/omp-team.h"

enum {
	TASK_STEP = 16, /* bytes: of its data's size are so many classes */
	TASK_CLASSES = 65,
	TASK_DATA = TASK_STEP * (TASK_CLASSES - 1), /* what has more, … */
	TASK_ALIGN = 64 /* … or more exactly aligned, is not told */
};

struct task_tail {
	struct omp_task task;
	void (*function)(void *);
};

/* What the runtime is given for it; the data are here, unless it copies. */
struct task_given {
	char room[TASK_ALIGN + TASK_DATA + sizeof(struct task_tail)];
	void (*function)(void *);
	void *from;
	void (*copy)(void *, void *);
	long size, align;
};

/* False: it is not told, and to be made as if we were not there. */
bool task_give(struct task_given *to, void (*function)(void *), void *data,
	       void (*copy)(void *, void *), long size, long align,
	       const struct region_frame *caller);

#endif
