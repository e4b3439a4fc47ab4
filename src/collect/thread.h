/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - a measured thread: its tree, its place on the stack, its clock.
 *
 * Ownership   Records are made when a thread starts and pooled when it ends;
 *             past the first few the next thread continues the tree of an
 *             ended one, so memory follows the threads that live at a time.
 * Threads     A record is used by its own thread only.
 * Signals     `busy` is set while code outside the handler uses the record;
 *             a sample that finds it set is dropped and counted.
 */
#ifndef COLLECT_THREAD_H
#define COLLECT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "collect/clock.h"
#include "collect/counters.h"
#include "collect/pace.h"
#include "collect/region.h"
#include "collect/unwind.h"
#include "live/tree.h"

enum {
	THREAD_PHASES = 16
}; /* nested ones that are told apart */

struct phase_span {       /* an open phase */
	live_ref outside; /* the root that it replaced */
	live_ref node;    /* 0: there was no memory for it */
	uint64_t start_ns, start_paused_ns;
	uint64_t inner_ns; /* of it, in phases inside */
};

struct thread {
	volatile bool busy;
	volatile bool leaves;    /* busy leaving a region, whose is … */
	volatile enum tick late; /* … the tick that came; TICK_FOREIGN: none */
	bool ready;              /* has a tree, in the live profile of: */
	uint32_t generation;     /* registry_generation() */
	uint32_t tid, index;
	struct tree tree;
	struct live_thread *live;
	struct clock clock;
	struct counters *counters; /* NULL: none */
	struct region *region;     /* innermost known context */
	struct phase_span spans[THREAD_PHASES];
	uint32_t phases; /* open ones; more than fit are only counted */
	struct pace pace;
	uint64_t start_ns;
	uint64_t losses[LOSS_COUNT]; /* before there was a tree */
	bool alive;                  /* between thread_start() and _stop() */
	struct thread *next;         /* in the pool */
	struct thread *older;        /* in the list of all records */
	struct unwinder unwinder;    /* last: its arrays follow */
};

/* The calling thread's record; NULL: not measured. */
SIGSAFE struct thread *thread_self(void);

/*
 * From now on the calling thread is not measured, nor what it starts; its
 * clock stands still.  Makes no system call.
 */
void thread_leave(void);

/*
 * The same, or no longer so, for all threads, although their clocks tick:
 * waits until none is busy.
 */
void thread_seal(bool sealed);

/*
 * Sets `busy`, which thread_seal() waits for; false: sealed before that, so
 * no system call may be made.
 */
SIGSAFE bool thread_enter(struct thread *t);

/* Start and stop measuring the calling thread, whose stack is [low, high). */
void thread_start(uintptr_t low, uintptr_t high);
void thread_stop(void);

/* Stop or start the clocks of all threads, as collect_paused() says. */
void thread_clocks_follow(void);

/* In a forked child: only the calling thread is left, with no profile. */
void thread_forked(void);

/*
 * The tree, made when there is none yet; false: not to be had, *why says if
 * memory is used up or somebody else is at the lists.
 */
SIGSAFE bool thread_ready(struct thread *t, enum loss *why);

/*
 * The calling thread with its tree, for use outside the handler, until
 * thread_release(); samples that come meanwhile are dropped.  NULL: none.
 */
struct thread *thread_use(void);
void thread_release(struct thread *t);

SIGSAFE void thread_lost(struct thread *t, enum loss why);

/* unwind_path() for the thread; what its check finds is counted. */
SIGSAFE live_ref thread_path(struct thread *t, const struct cfi_frame *top,
			     bool exact, const greg_t *registers, int *why);

#endif
