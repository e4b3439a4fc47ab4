/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.h - a lock that is held for a few instructions or system calls.
 *
 * Signals   Whoever holds it has all signals blocked: a handler of the program
 *           may leave by a longjmp, or come here itself.  A handler of ours
 *           only tries: it waits for nobody.
 * Fork      Another thread may have held it: the child opens it.
 */
#ifndef COLLECT_LOCK_H
#define COLLECT_LOCK_H

#include <stdbool.h>

#include "base/sys.h"

struct lock {
	int held;
	uint64_t mask; /* the holder's */
};

static inline void lock_take(struct lock *lock)
{
	uint64_t mask = sys_mask(SYS_MASK_ALL);

	while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
		sys0(SYS_sched_yield);
	lock->mask = mask;
}

/* False: somebody holds it. */
static inline bool lock_try(struct lock *lock)
{
	uint64_t mask = sys_mask(SYS_MASK_ALL);

	if (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE)) {
		sys_mask(mask);
		return false;
	}
	lock->mask = mask;
	return true;
}

static inline void lock_give(struct lock *lock)
{
	uint64_t mask = lock->mask;

	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
	sys_mask(mask);
}

/* In a forked child, whose only thread does not hold it. */
static inline void lock_open(struct lock *lock)
{
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

#endif
