/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.h - a lock that mistakes of locks.tbl take. */
#pragma once

#include <sched.h>

static int ours;

static inline void take(void)
{
	while (__atomic_exchange_n(&ours, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void give(void)
{
	__atomic_store_n(&ours, 0, __ATOMIC_RELEASE);
}
