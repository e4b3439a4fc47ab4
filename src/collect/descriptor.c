/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.c - numbers above the soft limit.
 *
 * The kernel gives no number above that limit, so it is raised for as long as
 * one system call takes.  A child that another thread forks in these
 * microseconds keeps the raised limit: the price, paid only when events are
 * counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/sys.h"
#include "collect/descriptor.h"

enum {
	/* A table of descriptors takes 8 bytes for each number below the
	   highest one; and where there is no room above, take some below. */
	HIGHEST_FIRST = 65536,
	BELOW = 16, /* … a 16th of them */
};

/* Mutable: one thread at a time changes the limit. */
static int locked;

/* The lowest number to take. */
static uint64_t first_number(const struct rlimit *limit)
{
	if (limit->rlim_cur > HIGHEST_FIRST)
		return HIGHEST_FIRST;
	if (limit->rlim_max > limit->rlim_cur)
		return limit->rlim_cur;
	return limit->rlim_cur - limit->rlim_cur / BELOW;
}

static long move(int fd)
{
	struct rlimit limit, raised;
	long moved;

	if (sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit))
		return -EMFILE;
	raised = limit;
	raised.rlim_cur = limit.rlim_max;
	if (limit.rlim_cur <= HIGHEST_FIRST)
		sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, 0);
	moved = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first_number(&limit));
	if (limit.rlim_cur <= HIGHEST_FIRST)
		sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, 0);
	return moved;
}

int descriptor_keep(int fd)
{
	long moved;

	while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	moved = move(fd);
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
	sys1(SYS_close, fd);
	return (int)moved;
}

void descriptor_forked(void)
{
	locked = 0;
}
