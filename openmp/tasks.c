/* SPDX-License-Identifier: BSD-3-Clause */
/* tasks.c - see tasks.h. */
#include "openmp/tasks.h"

#include <stdint.h>
#include <string.h>

/* What task_copy() adds to the data while the runtime makes a task. */
static __thread struct {
	struct task_tail tail;
	void (*copy)(void *, void *);
	long at;
} made __attribute__((tls_model("initial-exec")));

static inline __attribute__((always_inline)) void task_run(void *data,
							   int class)
{
	const struct task_tail *tail =
		(const void *)((char *)data + (long)class * TASK_STEP);
	__typeof__(made) outer = made;

	copse_team_task_begin(&tail->task, tail,
			      (uintptr_t)__builtin_frame_address(0), NULL);
	tail->function(data);
	copse_team_task_end(tail);
	made = outer;
}

/* Each class has a function of its own, which knows where the tail is. */
#define CLASS(n)                                                               \
	static void task_of_##n(void *data)                                    \
	{                                                                      \
		task_run(data, 0##n);                                          \
	}
#define EIGHT(n, X)                                                            \
	X(n##0)                                                                \
	X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X)                                                                 \
	EIGHT(0, X)                                                            \
	EIGHT(1, X)                                                            \
	EIGHT(2, X)                                                            \
	EIGHT(3, X) EIGHT(4, X) EIGHT(5, X) EIGHT(6, X) EIGHT(7, X) X(100)
ALL(CLASS)

static void (*const functions[TASK_CLASSES])(void *) = {
#define ROW(n) [0##n] = task_of_##n,
	ALL(ROW)
};

static void task_copy(void *to, void *from)
{
	made.copy(to, from);
	memcpy((char *)to + made.at, &made.tail, sizeof(made.tail));
}

bool task_give(struct task_given *to, void (*function)(void *), void *data,
	       void (*copy)(void *, void *), long size, long align,
	       const struct region_frame *caller)
{
	long class = (size + TASK_STEP - 1) / TASK_STEP;
	/* By hand: a frame that the compiler aligns does not show the
	   caller's stack. */
	char *room = to->room + (-(uintptr_t)to->room & (TASK_ALIGN - 1));

	if (size < 0 || class >= TASK_CLASSES || align > TASK_ALIGN)
		return false;
	made.tail.task = copse_team_task_new(function, caller);
	if (!made.tail.task.node)
		return false;
	made.tail.function = function;
	made.copy = copy;
	made.at = class * TASK_STEP;
	to->function = functions[class];
	to->size = made.at + (long)sizeof(made.tail);
	to->align = align > TASK_STEP ? align : TASK_STEP;
	to->copy = copy ? task_copy : NULL;
	to->from = copy ? data : room;
	if (!copy) {
		memcpy(room, data, (size_t)size);
		memcpy(room + made.at, &made.tail, sizeof(made.tail));
	}
	return true;
}
