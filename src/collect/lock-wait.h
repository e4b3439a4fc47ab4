/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock-wait.h - threads that wait for locks and for each other: what the
 * adapter in front of the C library's functions tells the collector.
 *
 * Only a call that found its lock taken is told, before and after.  It is the
 * thread's known context, as a call of MPI is.  Who gives back a lock that
 * others wait for takes the blame for their waiting since it got the lock.
 *
 * Threads   Each call concerns the calling thread.  The locks that somebody
 *           has waited for are in a table, which is read and changed by single
 *           atomic operations: nobody waits, and who leaves by a longjmp or is
 *           cancelled holds nothing.
 * Signals   Not to be called from ours.
 * Failure   Nothing fails: the program's call is made in any case, and errno
 *           stays.
 */
#ifndef COLLECT_LOCK_WAIT_H
#define COLLECT_LOCK_WAIT_H

#include "collect/region.h"

enum {
	CONTENDED_LOCKS = 1024,
	CONTENDED_TRIES = 8,
};

/* From the adapter, when it is loaded. */
void copse_lock_init(void);

/* A lock that somebody has waited for; its place is never given back. */
struct contended {
	const void *lock; /* NULL: none yet */
	uintptr_t user;   /* code that was the first to wait for it */
	/*
	 * How many wait, in the low 16 bits; above, the sum of the times at
	 * which those came who wait, less the sum of those at which others went
	 * on.  So one addition keeps both, and
	 * all waiting until now = how many * now - that sum.
	 */
	uint64_t waiters;
	uint64_t told; /* the waiting that was somebody's blame, or nobody's */
} __attribute__((aligned(32)));
extern struct contended copse_contended[CONTENDED_LOCKS];

/* The i-th place where it may be. */
static inline struct contended *contended_place(const void *lock, uint32_t i)
{
	uint64_t key = (uintptr_t)lock * 0x9e3779b97f4a7c15u;

	return &copse_contended[((key >> 40) + i) % CONTENDED_LOCKS];
}

/* NULL: nobody has waited for it. */
static inline struct contended *contended_find(const void *lock)
{
	for (uint32_t i = 0; i < CONTENDED_TRIES; i++) {
		struct contended *c = contended_place(lock, i);
		const void *is = __atomic_load_n(&c->lock, __ATOMIC_RELAXED);

		if (is == lock)
			return c;
		if (!is)
			return NULL;
	}
	return NULL;
}

/* All waiting for it until then, modulo 2^48 ns. */
static inline uint64_t contended_until(uint64_t waiters, uint64_t now)
{
	return ((waiters & 0xffff) * now - (waiters >> 16)) << 16 >> 16;
}

/* Has the lock's holder anything to be blamed for? */
static inline bool contended_now(const struct contended *c)
{
	uint64_t waiters = __atomic_load_n(&c->waiters, __ATOMIC_RELAXED);

	return waiters & 0xffff || contended_until(waiters, 0) != c->told;
}

enum {
	BRIEF_LOCKS = 8 /* of a thread, that are remembered */
};

/*
 * Of each thread: what waits for a lock are counted at, when the last one was
 * told in full.
 */
struct lock_briefs {
	struct brief {
		const void *lock;
		uint64_t *waits, *waited; /* values of the thread's tree */
		live_ref root, node;
		uint32_t generation;
		uint32_t count; /* of waits so far, in a row for this lock */
		uint32_t mean_ns;
	} of[BRIEF_LOCKS];
	uint32_t lot;
};

struct lock_wait {
	struct region call;
	uint64_t since; /* of CLOCK_MONOTONIC, or where the call counts of
			   the counter; 0: it is not measured */
	struct contended *lock;   /* NULL: nobody is blamed */
	const void *of;           /* NULL: nobody holds it */
	uint32_t weight;          /* waits that it stands for in that blame */
	uint64_t *waits, *waited; /* values of the thread's tree */
	uint32_t generation;
};

/*
 * The call has to wait.  The record is in a frame inside that of the function
 * that the program called, whose saved frame pointer is at `frame`.
 */
void copse_lock_wait(struct lock_wait *w, const void *lock, enum lock_kind kind,
		     const uintptr_t *frame);

/* It goes on; had: it holds the lock now. */
void copse_lock_go_on(struct lock_wait *w, bool had);

/*
 * The holder is about to give the lock back: what others have waited for it,
 * in ns.  After that, and not before, it is counted where it was called; taken:
 * the return address of the call that took it, in a frame inside this one's
 * caller's, which may have jumped here; 0: there is none.
 */
uint64_t copse_lock_release(struct contended *c);
void copse_lock_blame(const struct contended *c, enum lock_kind kind,
		      uint64_t ns, const uintptr_t *frame, uintptr_t taken);

#endif
