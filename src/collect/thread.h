/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - a measured thread: its tree, its place on the stack, its clock.
 *
 * Ownership   Records are made when a thread starts and pooled when it ends;
 *             past the first few the next thread continues the tree of an
 *             ended one, so memory follows the threads that live at a time.
 * Threads     A record is used by its own thread only.
 * Signals     `busy` is set while code outside the handler uses the record;
 *             a sample that finds it set is dropped and counted.  A handler of
 *             the program may interrupt such code and never return (longjmp):
 *             `busy` says which frame it is, and so whether it is there still.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/page-size.h"
#include "base/hidden.h"
#include "base/sigsafe.h"
#include "base/sys.h"
#include "collect/io/io-files.h"
#include "collect/io/io-times.h"
#include "collect/sampling/clock.h"
#include "collect/sampling/counters.h"
#include "collect/gpu/history.h"
#include "collect/threads/lock-wait.h"
#include "collect/regions/phase.h"
#include "collect/sampling/sample-period.h"
#include "collect/threads/wait-events.h"
#include "collect/threads/omp-place.h"
#include "collect/threads/thread-starter.h"
#include "collect/sampling/polls.h"
#include "collect/regions/region.h"
#include "collect/registry.h"
#include "collect/transparency/alt-stack.h"
#include "collect/regions/callsite-cache.h"
#include "collect/sampling/switches.h"
#include "collect/sampling/ticks.h"
#include "collect/unwind/unwind.h"
#include "live/tree.h"

enum {
	THREAD_TEAMS = 8 /* nested regions of OpenMP that are told apart */
};

struct omp_slots;
struct team_level;

struct thread { /* what a timer signal reads comes first: its caches are cold */
	volatile uintptr_t busy; /* a frame's base, 0: nobody's … */
	uintptr_t returns;       /* … and where that frame returns to */
	volatile bool leaves;    /* busy leaving a region, whose is … */
	volatile enum timer_signal
		late; /* … the timer signal that came; TIMER_NONE: none */
	bool ready;   /* has a tree, in the live profile of: */
	uint32_t generation; /* registry_generation() */
	struct live_thread *live;
	struct counters *counters; /* NULL: none */
	struct region *region;     /* known context; never one inside another */
	struct history *history; /* it gives work to GPUs; NULL: not, or … */
	uint64_t owed_ns;        /* until the next sample, of CPU time, … */
	uint64_t owed_since_ns;  /* … for what the last one took, … */
	uint64_t owed_at_ns;     /* … which ended then */
	uint64_t suspects; /* samples to be measured, as one seemed dear */
	uint64_t stood_ns; /* for what samples of the record stood before it */
	struct tree tree;
	struct sample_period period;
	struct next_period next_period;
	struct wait_events wait_events;
	struct ticks ticks;
	struct unwinder unwinder;
	struct clock clock;
	struct alt_stack alt_stack;
	uint64_t events_ns; /* what timer signals of events, and samples of
			       allocations, cost */
	uint32_t tid, index;
	struct polls polls;
	struct region beyond;       /* the one of a callback */
	struct sites *sites;        /* of regions; NULL: none yet */
	struct sites *sites_beyond; /* of those that were called back for */
	bool no_history;            /* … there was no memory */
	uint64_t mpi_ns;            /* in regions that were left */
	uint32_t stamps;            /* that its contexts have room for */
	uint32_t calls;    /* of adapters, to measure the cost of some … */
	uint64_t entering; /* … of which this was before the call */
	struct phases phases;
	uint32_t teams; /* regions of OpenMP that it began: omp-team.h */
	uint32_t teams_ended[THREAD_TEAMS]; /* the last one of each level */
	struct team_level *team_levels;     /* NULL: none yet */
	void *teams_begun; /* of copse_team_room(); NULL: none yet */
	struct switches switches;
	uint64_t start_ns;
	char name[16]; /* as its program knows it; empty: as the kernel */
	struct thread_starter starter; /* `main` is NULL: none is known */
	uint32_t weight; /* of its start and end, in threads; 0: not measured */
	bool alive;      /* between thread_start() and _stop() */
	bool has_places; /* in omp_places */
	struct thread *next;  /* in the pool */
	struct thread *older; /* in the list of all records */
	/* Where members say when they came to the end; others read this line.
	 */
	struct omp_slots *slots[THREAD_TEAMS]
		__attribute__((aligned(CACHE_LINE)));
	/* What follows a forked child does not touch. */
	struct omp_places omp_places __attribute__((aligned(CACHE_LINE)));
	struct lock_briefs briefs;
	struct io_last io_last;
	struct io_times io_times;
	uint64_t heap_lot;           /* of draws of allocations; 0: not begun */
	uint64_t losses[LOSS_COUNT]; /* before there was a tree */
				     /* The unwinder's arrays follow. */
};

/* Initial exec: the loader has set it aside, a handler may touch it. */
extern __thread struct thread *thread_record
	__attribute__((tls_model("initial-exec")));

/* Mutable: no thread is measured any more. */
extern HIDDEN volatile bool thread_all_left;

/* The calling thread has entered a sandbox: no system call may be made. */
extern HIDDEN __thread bool thread_is_left
	__attribute__((tls_model("initial-exec")));

/* The calling thread's record; NULL: not measured. */
static inline struct thread *thread_self(void)
{
	return thread_all_left ? NULL : thread_record;
}

/* A child of vfork() has its parent's memory, but is a process of its own. */
static inline bool thread_is_own(void)
{
	const struct thread *t = thread_self();

	return t && t->tid == (uint32_t)sys0(SYS_gettid);
}

/*
 * From now on the calling thread is not measured, nor what it starts; its
 * clock stands still.  Makes no system call.
 */
void thread_leave(void);

/*
 * The same, or no longer so, for all threads, although their clocks timer
 * signal: waits until none is busy.
 */
void thread_seal(bool sealed);

/*
 * Is code busy with the record, seen from a stack pointer?  What the frame of
 * one that has left by a longjmp was doing is forgotten.
 */
SIGSAFE bool thread_is_busy(struct thread *t, uintptr_t sp);

/*
 * Sets `busy`, which thread_seal() waits for, to the calling function's frame;
 * false: it is set, by what a handler interrupted that now comes here.
 */
#define thread_occupy(t)                                                       \
	thread_occupied_by(t, (uintptr_t)__builtin_frame_address(0),           \
			   (uintptr_t)__builtin_return_address(0))

static inline __attribute__((always_inline)) bool
thread_occupied_by(struct thread *t, uintptr_t frame, uintptr_t returns)
{
	/* The same frame again is a new call. */
	if (t->busy && thread_is_busy(t, frame + 1))
		return false;
	t->returns = returns;
	t->busy = frame;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

static inline __attribute__((always_inline)) void
thread_release(struct thread *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->busy = 0;
}

/* Asked after `busy` was set; false: sealed, no system call may be made. */
SIGSAFE bool thread_open(void);

/*
 * Start and stop measuring the calling thread, whose stack is [low, high). With
 * a name it keeps that one, whatever the kernel calls it.
 */
void thread_start(uintptr_t low, uintptr_t high, const char *name);
void thread_stop(void);

/*
 * Between the two no clock of a thread starts, and the caller has all signals
 * blocked.  threads_hold() gives the youngest record, with the others
 * behind it, and *mask, of before.
 */
struct thread *threads_hold(uint64_t *mask);
void threads_let_go(void);

/*
 * The same, but all signals are blocked already; in a handler, which waits for
 * nobody, false: another thread has them.
 */
SIGSAFE bool threads_hold_inner(bool handler);
SIGSAFE void threads_let_go_inner(void);

/* A forked child will have no right to open another clock (clock_renew()). */
void thread_keep_clock(void);

/* Stop or start the clocks of all threads, as collect_paused() says. */
void thread_clocks_follow(void);
/* The same where they are held; `anew`: also those that run. */
SIGSAFE void thread_clocks_follow_held(bool anew);

/* In a forked child: only the calling thread is left, with no profile. */
void thread_forked(void);

/*
 * The tree, made when there is none yet; false: not to be had, *why says if
 * memory is used up or another thread is just making the profile.
 */
SIGSAFE bool thread_prepare(struct thread *t, enum loss *why);
/* thread_ready(), not for handlers: that other thread is waited for. */
bool thread_await(struct thread *t, enum loss *why);

/* The calling thread's, as it is now, becomes that of its record. */
SIGSAFE void thread_take_name(struct thread *t);

static inline bool thread_has_tree(const struct thread *t)
{
	return t->ready && t->generation == registry_generation();
}

/*
 * Readers of the live profile see that the thread waits at that node, since a
 * date of CLOCK_MONOTONIC, until the second call.  Waits do not nest: the last
 * one begun is the one that is seen.  The thread needs its tree.
 */
SIGSAFE static inline void thread_wait_open(struct thread *t, live_ref node,
					    uint64_t begin_ns)
{
	struct live_open_wait *open = &t->live->wait;

	/* What follows comes after the end of the wait before. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	open->node = node;
	open->begin_ns = begin_ns;
	__atomic_store_n(&open->sequence, (open->sequence + 1) | 1,
			 __ATOMIC_RELEASE);
}

SIGSAFE static inline void thread_wait_close(struct thread *t)
{
	struct live_open_wait *open = &t->live->wait;

	__atomic_store_n(&open->sequence, (open->sequence + 1) & ~1u,
			 __ATOMIC_RELEASE);
}

static inline bool thread_ready(struct thread *t, enum loss *why)
{
	return thread_has_tree(t) || thread_prepare(t, why);
}

/*
 * The calling thread with its tree, for use outside the handler, until
 * thread_release(); samples that come meanwhile are dropped.  NULL: none, or
 * somebody uses it.
 */
#define thread_use()                                                           \
	thread_used_by((uintptr_t)__builtin_frame_address(0),                  \
		       (uintptr_t)__builtin_return_address(0))
struct thread *thread_used_by(uintptr_t frame, uintptr_t returns);

SIGSAFE void thread_lost(struct thread *t, enum loss why);

/* unwind_path() for the thread; what its check finds is counted. */
SIGSAFE live_ref thread_path(struct thread *t, const struct cfi_frame *top,
			     bool exact, const mcontext_t *registers, int *why);
