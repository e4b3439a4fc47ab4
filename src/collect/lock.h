/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.h - a lock that is held for a few instructions or system calls.  Who
 * waits for it sleeps: its holder may have lost its core.
 *
 * Signals   Whoever holds it has all signals blocked: a handler of the program
 *           may leave by a longjmp, or come here itself.  A handler of ours
 *           only tries: it waits for nobody.
 * Fork      Another thread may have held it: the child opens it.
 */
#pragma once

#include <linux/futex.h>
#include <stdbool.h>

#include "base/sys.h"

enum {
	LOCK_FREE,
	LOCK_HELD,
	LOCK_WANTED /* held, and somebody may sleep */
};

struct lock {
	int state;
	uint64_t mask; /* the holder's */
};

static inline bool lock_is_had(struct lock *lock)
{
	int is = LOCK_FREE;

	return __atomic_compare_exchange_n(&lock->state, &is, LOCK_HELD, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* For who holds another lock: signals are blocked already. */
static inline void lock_take_inner(struct lock *lock)
{
	if (!lock_is_had(lock))
		while (__atomic_exchange_n(&lock->state, LOCK_WANTED,
					   __ATOMIC_ACQUIRE) != LOCK_FREE)
			sys4(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE,
			     LOCK_WANTED, 0);
}

static inline void lock_give_inner(struct lock *lock)
{
	if (__atomic_exchange_n(&lock->state, LOCK_FREE, __ATOMIC_RELEASE) ==
	    LOCK_WANTED)
		sys3(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1);
}

static inline void lock_take(struct lock *lock)
{
	uint64_t mask = sys_mask(SYS_MASK_ALL);

	lock_take_inner(lock);
	lock->mask = mask;
}

/* False: somebody holds it. */
static inline bool lock_try(struct lock *lock)
{
	uint64_t mask = sys_mask(SYS_MASK_ALL);

	if (!lock_is_had(lock)) {
		sys_mask(mask);
		return false;
	}
	lock->mask = mask;
	return true;
}

static inline void lock_give(struct lock *lock)
{
	uint64_t mask = lock->mask;

	lock_give_inner(lock);
	sys_mask(mask);
}

/*
 * In a forked child, whose only thread does not hold it.  Most are free: a page
 * that is only read is not copied.
 */
static inline void lock_open(struct lock *lock)
{
	if (__atomic_load_n(&lock->state, __ATOMIC_RELAXED) != LOCK_FREE)
		__atomic_store_n(&lock->state, LOCK_FREE, __ATOMIC_RELEASE);
}
