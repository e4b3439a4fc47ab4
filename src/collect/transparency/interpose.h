/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose.h - the functions of the C library that the collector stands in
 * front of; interposed.list names them, interpose.c says why each.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "base/sigsafe.h"

/* Before anything else. */
void interpose_init(void);

/* limits.c: before and after a limit is set by another way. */
void limits_expect(long resource);
void limits_follow(long resource);

/*
 * exec.c: stop the calling thread's clock, with no timer signal left on its
 * way, for a system call after which there may be no coming back; start it
 * again when that failed, and give `result` back with errno as it was.
 */
struct thread *exec_begin(void);
int exec_failed(struct thread *t, int result);

/* Install our own handler, past the program's view of it. */
int interpose_take_signal(int signal, const struct sigaction *action);

/* Does the program handle our signal, with which flags, on which stack? */
SIGSAFE bool interpose_handles(void);
SIGSAFE bool interpose_on_alt_stack(void);

/*
 * Do what the program wants done with a signal that is not ours; false: it is
 * not to notice it, now or ever.
 */
SIGSAFE bool interpose_pass_on(int signal, siginfo_t *info, void *context);
