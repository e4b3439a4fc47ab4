/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.h - a lock that mistakes of locks.tbl take. */
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int ours;
static const struct timespec turn = { .tv_nsec = 1000000 };

/*
 * Who hangs there sleeps, and other tests have the core: by a call that is no
 * cancellation point.
 */
static inline void take(void)
{
	for (int i = 0; __atomic_exchange_n(&ours, 1, __ATOMIC_ACQUIRE); i++)
		if (i < 1000)
			sched_yield();
		else
			syscall(SYS_nanosleep, &turn, NULL);
}

static inline void give(void)
{
	__atomic_store_n(&ours, 0, __ATOMIC_RELEASE);
}
