/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tasks.h - tasks of libgomp: the runtime calls a function of ours instead of
 * the program's, which finds a struct task_tail behind the task's data.  The
 * data stay in their place: the runtime writes into them (a loop's bounds, an
 * event) and reads them (a reduction's).
 *
 * Threads   Any; each makes one task at a time.
 */
#pragma once

#include <stdbool.h>

#include "base/hidden.h"
#include "collect/threads/omp-team.h"

enum {
	TASK_STEP = 16, /* bytes from one class of sizes to the next */
	TASK_CLASSES = 65,
	TASK_DATA = TASK_STEP * (TASK_CLASSES - 1), /* with more, … */
	TASK_ALIGN = 64 /* … or a larger alignment, it is not recorded */
};

struct task_tail {
	struct omp_task task;
	void (*function)(void *);
};

/* The runtime's parameters; the data are here, unless they are copied. */
struct task_given {
	char room[TASK_ALIGN + TASK_DATA + sizeof(struct task_tail)];
	void (*function)(void *);
	void *from;
	void (*copy)(void *, void *);
	long size, align;
};

/* False: it is not recorded; the caller makes it unchanged. */
bool task_give(struct task_given *to, void (*function)(void *), void *data,
	       void (*copy)(void *, void *), long size, long align,
	       const struct region_frame *caller);
