/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sigtrap-directed.h - the program's own SIGTRAP for one of its threads.
 *
 * The kernel keeps one SIGTRAP for a thread: where a timer signal waits, it
 * drops the program's.  So that one is left as a pending directed signal in the
 * thread's record, and what is sent is a wake-up signal, which says only that
 * there is one.  Either the wake-up signal comes through, or a timer signal
 * does that was there first, and its handler finds the pending directed signal
 * too.  A second one before the first is read is none, as in the kernel.
 *
 * Threads   A pending directed signal is left by any thread, between
 * threads_hold() and threads_let_go(), and taken by the one that it is for.
 */
#ifndef COLLECT_TRANSPARENCY_SIGTRAP_DIRECTED_H
#define COLLECT_TRANSPARENCY_SIGTRAP_DIRECTED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"

struct thread;

enum pending {
	PENDING_NONE,
	PENDING_COMES, /* its sender is at the wake-up signal */
	PENDING_HERE
};

struct directed {
	bool open;            /* it takes pending directed signals */
	volatile bool blocks; /* sigtrap_blocked() */
	volatile bool waits;  /* for it, in sigwait() */
	volatile uint32_t bells,
		seen; /* how many were sent; of which came or not */
	siginfo_t info;
};

/*
 * The thread takes pending directed signals from now on, before its clock
 * starts; no longer, after that was stopped: what is on its way is delivered.
 * In between threads_hold() and threads_let_go(), and outside.  By the thread
 * itself.
 */
void directed_open(struct thread *t);
void directed_close(struct thread *t);

/* A record is used again, or in a forked child. */
void directed_forget(struct thread *t);

/* The pending directed signal of the calling thread, which has all signals
 * blocked. */
SIGSAFE bool directed_take(struct thread *t, siginfo_t *to);

/* Rings at any thread of the process: 0 or -errno. */
SIGSAFE int directed_wake(uint32_t tid);
/* Is it that, and no signal of the program? */
SIGSAFE bool directed_is_wake_up(const siginfo_t *info);

/* To the calling thread, which does not block it, from whoever `info` says. */
void directed_to_self(const siginfo_t *info);

/*
 * For syscall(): what tgkill() and rt_tgsigqueueinfo() would do; false: nothing
 * was done, it is for the kernel.
 */
bool directed_to_tid(long pid, long tid, int signum);
bool directed_with_info(long pid, long tid, int signum, const void *info);

#endif
