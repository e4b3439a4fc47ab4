/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alt-stack.h - the alternate signal stack of a measured thread.
 *
 * A timer signal needs some KiB of stack, and the program's may have no such
 * room: fibers of 8 KiB, small threads, an alternate stack in use.  The kernel
 * has one alternate stack for a thread.  So it gets ours, and the program's is
 * kept here.  A handler of the program that the kernel starts on ours is moved,
 * with its signal frame, to where the kernel would have put it without us.
 *
 * Threads   The state of a thread is its own.
 * Signals   alt_stack_leave() is called in a handler.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "base/sigsafe.h"

enum {
	/*
	 * For the kernel's frame (3.5 KiB with AVX-512, 11.5 KiB with AMX) and
	 * our handler; and for handlers that a runtime installs past the C
	 * library: Go's have 32 KiB for themselves.
	 */
	ALT_STACK_SIZE = 64 << 10
};

struct alt_stack {
	uintptr_t low, high; /* ours, where the thread has one; else 0 */
	uintptr_t own_low, own_high; /* the stack that the thread began on */
	stack_t program;             /* as the kernel would have it */
};

/* Ours is in `room`, of ALT_STACK_SIZE bytes. */
void alt_stack_init(struct alt_stack *s, void *room);

typedef void signal_handler(int signum, siginfo_t *info, void *context);

/*
 * In a handler that the kernel has started, whose frame begins at `entry`:
 * go on with `function` where a handler of the program would run, on its
 * alternate stack or not.  Does not return if that is elsewhere.
 */
SIGSAFE void alt_stack_leave(uintptr_t entry, signal_handler *function,
			     bool alternate, int signum, siginfo_t *info,
			     void *context);

/*
 * For those that install a handler: what to install in place of the program's,
 * if that has SA_ONSTACK in its flags; which one of the program's is wrapped
 * like this, NULL: none; and the program's in place of one that was installed,
 * when `was` was wrapped.
 */
void *alt_stack_wrap(int signum, void *handler, unsigned long flags);
void *alt_stack_wrapped(int signum);
void *alt_stack_unwrap(void *installed, void *was);
