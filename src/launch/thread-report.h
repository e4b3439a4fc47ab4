/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-report.h - states and stacks of the threads of a `copse run`, written
 * by its parent: where Yama's ptrace_scope is 1 only an ancestor may read them.
 *
 * Who wants them creates the file `ask` in the folder of the live profiles. The
 * parent looks for it once a second, and answers with the file `threads`.
 */
#pragma once

#include <stddef.h>

#include "launch/thread-state.h"

struct live_run;

enum {
	THREAD_STACK = 16384 /* bytes of a stack, from its top */
};

struct thread_report {
	pid_t pid, tid;
	struct thread_state state;
	size_t stack_size;
	unsigned char stack[THREAD_STACK];
};

/* Of a parent: answer, if somebody asks. */
void thread_report_answer(const char *folder);

/*
 * Ask the parents of all folders of a run, and wait for up to 3 s.  *to has
 * what came, by malloc; their number.
 */
size_t thread_report_ask(const struct live_run *run, struct thread_report **to);
