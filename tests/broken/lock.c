/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.c - a handler that waits for a lock, which its thread may hold: it is
 * taken wherever the collector takes the thread's record.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "broken.h"
#include "collect/thread.h"

static int lock;
static const struct timespec turn = { .tv_nsec = 1000000 };

/* Who hangs there sleeps: other tests have the core. */
static void take(void)
{
	for (int i = 0; __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE); i++)
		if (i > 100000)
			syscall(SYS_nanosleep, &turn, NULL);
}

__typeof__(thread_used_by) __real_thread_used_by, __wrap_thread_used_by;

struct thread *__wrap_thread_used_by(uintptr_t frame, uintptr_t returns)
{
	struct thread *t;

	take();
	t = __real_thread_used_by(frame, returns);
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	return t;
}

void do_wrong(void)
{
	take();
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}
