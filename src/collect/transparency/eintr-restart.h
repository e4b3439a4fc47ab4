/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * eintr-restart.h - a system call that a signal of the program ends, ends for
 * the program as that signal wants, although the kernel delivers our timer
 * signal first.
 */
#pragma once

#include <stdbool.h>
#include <ucontext.h>

#include "base/sigsafe.h"

/* At the end of a timer signal's handler: puts the interrupted call's result
 * right. */
SIGSAFE void eintr_restart_settle(ucontext_t *context);

/* A handler of the program for our signal, with these flags, is about to run.
 */
SIGSAFE void eintr_restart_follow(ucontext_t *context, unsigned long flags);

/* Has only a stop interrupted a sleep, which the kernel would go on with? */
SIGSAFE bool eintr_restart_sleeps(const ucontext_t *context);

/*
 * Then goes on with it, on the program's stack.  It may take as long as the
 * sleep, and handlers of the program may run meanwhile, and never return.
 */
SIGSAFE void eintr_restart_sleep(ucontext_t *context);

/*
 * Waits that the kernel begins again after a stop, but not
 * where a timer signal's handler runs: begun again here, unless a handler of
 * the program was the end of them.
 */

struct request;

/*
 * In a timer signal's handler: no handler of the program has run in ours, nor
 * will.  A wait that nothing else has ended goes on.
 */
SIGSAFE void eintr_waits_mark(ucontext_t *context);

/* One of them by syscall(), with the kernel's result; false: it is none. */
bool eintr_waits_raw(const struct request *r, long *result);
