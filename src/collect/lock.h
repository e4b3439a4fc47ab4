/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.h - a lock that is held for a few instructions or system calls.
 *
 * Signals   Not for handlers: one may have interrupted the holder.
 * Fork      Another thread may have held it: the child opens it.
 */
#ifndef COLLECT_LOCK_H
#define COLLECT_LOCK_H

#include <sched.h>

struct lock {
	int held;
};

static inline void lock_take(struct lock *lock)
{
	while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void lock_give(struct lock *lock)
{
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

#endif
