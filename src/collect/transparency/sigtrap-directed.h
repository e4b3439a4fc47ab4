/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sigtrap-directed.h - the program's own SIGTRAP for one of its threads.
 *
 * The kernel keeps one SIGTRAP for a thread: where a tick waits, it drops the
 * program's.  So that one is left as a letter in the thread's record, and what
 * is sent is a bell, which says only that there is one.  Either the bell comes
 * through, or a tick does that was there first, and its handler finds the
 * letter too.  A second one before the first is read is none, as in the kernel.
 *
 * Threads   A letter is left by any thread, between threads_hold() and
 *           threads_let_go(), and taken by the one that it is for.
 */
#ifndef COLLECT_TRANSPARENCY_SIGTRAP_DIRECTED_H
#define COLLECT_TRANSPARENCY_SIGTRAP_DIRECTED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"

struct thread;

enum letter {
	LETTER_NONE,
	LETTER_COMES, /* its sender is at the bell */
	LETTER_HERE
};

struct sent {
	bool open;                     /* it takes letters */
	volatile bool blocks;          /* held_blocks() */
	volatile bool waits;           /* for it, in sigwait() */
	volatile uint32_t bells, seen; /* how many rang; of which came or not */
	siginfo_t info;
};

/*
 * The thread takes letters from now on, before its clock starts; no longer,
 * after that was stopped: what is on its way is delivered.  In between
 * threads_hold() and threads_let_go(), and outside.  By the thread itself.
 */
void sent_open(struct thread *t);
void sent_close(struct thread *t);

/* A record is used again, or in a forked child. */
void sent_forget(struct thread *t);

/* The letter of the calling thread, which has all signals blocked. */
SIGSAFE bool sent_take(struct thread *t, siginfo_t *to);

/* Rings at any thread of the process: 0 or -errno. */
SIGSAFE int sent_ring(uint32_t tid);
/* Is it that, and no signal of the program? */
SIGSAFE bool sent_is_bell(const siginfo_t *info);

/* To the calling thread, which does not block it, from whoever `info` says. */
void sent_to_self(const siginfo_t *info);

/*
 * For syscall(): what tgkill() and rt_tgsigqueueinfo() would do; false: nothing
 * was done, it is for the kernel.
 */
bool sent_to_tid(long pid, long tid, int signum);
bool sent_with_info(long pid, long tid, int signum, const void *info);

#endif
