/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock-wait.h - threads that wait for locks and for each other, as the adapters
 * report them to the collector.
 *
 * Only a call that found its lock taken is reported, before and after.  It is
 * the thread's known context, like an MPI call.  A thread that releases a lock
 * for which others wait takes the blame for their waiting since it got the
 * lock.
 *
 * Threads   Each call concerns the calling thread.  Locks that somebody has
 *           waited for are in a table, which is read and changed by single
 *           atomic operations: no thread waits, and one that is cancelled or
 *           leaves by a longjmp holds nothing.
 * Signals   Not to be called from our handler.
 * Failure   Nothing fails: the program's call is made in any case, and errno
 *           is unchanged.
 */
#pragma once

#include "collect/regions/region.h"

enum {
	CONTENDED_LOCKS = 1024,
	CONTENDED_TRIES = 8,
};

/* From the adapter, when it is loaded. */
void copse_lock_init(void);

/* A lock that somebody has waited for; its place is never freed. */
struct contended {
	const void *lock; /* NULL: none yet */
	uintptr_t user;   /* code that was the first to wait for it */
	/*
	 * In the low 16 bits, the number of waiters.  Above, the sum of the
	 * times at which waits began, less the sum of those at which they
	 * ended.  One addition changes both, and
	 * all waiting until now = number * now - sum.
	 */
	uint64_t waiters;
	uint64_t told; /* waiting before that, which is already blamed or not
			  to be */
} __attribute__((aligned(32)));
extern struct contended copse_contended[CONTENDED_LOCKS];

/* The i-th place where it may be. */
static inline struct contended *lock_contended_place(const void *lock,
						     uint32_t i)
{
	uint64_t key = (uintptr_t)lock * 0x9e3779b97f4a7c15u;

	return &copse_contended[((key >> 40) + i) % CONTENDED_LOCKS];
}

/* NULL: nobody has waited for it. */
static inline struct contended *lock_contended_find(const void *lock)
{
	for (uint32_t i = 0; i < CONTENDED_TRIES; i++) {
		struct contended *c = lock_contended_place(lock, i);
		const void *is = __atomic_load_n(&c->lock, __ATOMIC_RELAXED);

		if (is == lock)
			return c;
		if (!is)
			return NULL;
	}
	return NULL;
}

/* All waiting for the lock until then, modulo 2^48 ns. */
static inline uint64_t lock_contended_until(uint64_t waiters, uint64_t now)
{
	return ((waiters & 0xffff) * now - (waiters >> 16)) << 16 >> 16;
}

/* Has the lock's holder anything to be blamed for? */
static inline bool lock_contended_now(const struct contended *c)
{
	uint64_t waiters = __atomic_load_n(&c->waiters, __ATOMIC_RELAXED);

	return waiters & 0xffff || lock_contended_until(waiters, 0) != c->told;
}

enum {
	BRIEF_LOCKS = 8 /* of a thread, that are remembered */
};

/*
 * Of each thread: where the last wait for a lock that was recorded in full is
 * counted.
 */
struct lock_briefs {
	struct brief {
		const void *lock;
		uint64_t *waits, *waited; /* values of the thread's tree */
		live_ref root, node;
		uint32_t generation;
		uint32_t count; /* waits in a row for this lock */
		uint32_t mean_ns;
	} of[BRIEF_LOCKS];
	uint32_t lot;
};

struct lock_wait {
	struct region call;
	uint64_t since;           /* CLOCK_MONOTONIC, or the counter if the call
				     counts; 0: not measured */
	struct contended *lock;   /* NULL: nobody is blamed */
	const void *of;           /* NULL: nobody holds it */
	uint32_t weight;          /* number of waits in the blame */
	uint64_t *waits, *waited; /* values of the thread's tree */
	uint32_t generation;
};

/*
 * The call has to wait.  The record is in a frame below that of the function
 * that the program called, whose saved frame pointer is at `frame`.
 */
void copse_lock_wait(struct lock_wait *w, const void *lock, enum lock_kind kind,
		     const uintptr_t *frame);

/* The wait has ended; had: the thread holds the lock now. */
void copse_lock_go_on(struct lock_wait *w, bool had);

/*
 * Before the holder releases the lock: what others have waited for it, in ns.
 * After the release, copse_lock_blame() counts that at the caller.  taken: the
 * return address of the call that took the lock, if it was in a function that
 * may have jumped here; otherwise 0.
 */
uint64_t copse_lock_release(struct contended *c);
void copse_lock_blame(const struct contended *c, enum lock_kind kind,
		      uint64_t ns, const uintptr_t *frame, uintptr_t taken);
