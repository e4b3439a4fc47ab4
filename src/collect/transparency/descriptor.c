/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.c - numbers for descriptors above the program's limit.
 *
 * The kernel gives no number above the limit, so it is raised for as long as
 * one system call takes.  A child that another thread forks in these
 * microseconds keeps the raised limit.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/lock.h"
#include "collect/source.h"
#include "collect/transparency/descriptor.h"

enum {
	MOST_BELOW = 64,   /* kept at a time below the limit */
	ROOM = 1024,       /* smaller numbers are left to the program … */
	HIGHEST = 1 << 12, /* that is taken above a limit */
	FIRST = 224        /* … but where it has more than that */
};

/* Mutable: one thread at a time changes the limit; how many are below it. */
static struct lock lock RESET_AT_FORK;
static int below RESET_AT_FORK;

SIGSAFE static long number_from(int fd, rlim_t first)
{
	return sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first);
}

/*
 * The hard limit has to go up as well where the program's is as high.  One that
 * a program has made very low may be lower than what it has open.
 */
SIGSAFE static long number_above(int fd, const struct rlimit *limit)
{
	rlim_t first = limit->rlim_cur < ROOM ? ROOM : limit->rlim_cur;
	struct rlimit raised = *limit;
	long number;

	raised.rlim_cur += HIGHEST;
	if (raised.rlim_max < raised.rlim_cur)
		raised.rlim_max = raised.rlim_cur;
	if (limit->rlim_cur < limit->rlim_max)
		raised.rlim_cur = raised.rlim_max = limit->rlim_max;
	if (sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, 0))
		return -1;
	number = number_from(fd, first);
	sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, 0);
	return number;
}

SIGSAFE static long high_number(int fd, bool *is_below)
{
	struct rlimit limit;
	long number = -1;

	*is_below = false;
	if (sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit))
		return -1;
	if (limit.rlim_cur <= HIGHEST)
		number = number_above(fd, &limit);
	if (number >= 0 || limit.rlim_cur < ROOM || below == MOST_BELOW)
		return number;
	/* Each fork copies the table up to the highest number. */
	number = number_from(fd, limit.rlim_cur > HIGHEST
					 ? FIRST
					 : limit.rlim_cur - MOST_BELOW);
	*is_below = number >= 0;
	return number;
}

SIGSAFE bool descriptor_is_ours(const struct descriptor *d)
{
	uint64_t id = 0;

	return d->number >= 0 &&
	       !sys3(SYS_ioctl, d->number, PERF_EVENT_IOC_ID, &id) &&
	       id == d->id;
}

SIGSAFE static bool take_lock(bool wait)
{
	if (wait)
		lock_take(&lock);
	return wait || lock_try(&lock);
}

SIGSAFE struct descriptor descriptor_keep(int fd, bool wait)
{
	struct descriptor d = { .number = -1 };

	if (take_lock(wait)) {
		if (!sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &d.id))
			d.number = (int)high_number(fd, &d.below);
		if (d.number < 0)
			d.number = -1;
		below += d.below;
		lock_give(&lock);
	}
	sys1(SYS_close, fd);
	return d;
}

SIGSAFE void descriptor_drop(struct descriptor *d)
{
	if (d->number < 0)
		return;
	if (descriptor_is_ours(d))
		sys1(SYS_close, d->number);
	if (d->below)
		__atomic_sub_fetch(&below, 1, __ATOMIC_RELAXED);
	d->number = -1;
}

static void descriptor_forked(void)
{
	lock_open(&lock);
}

const struct source source_descriptor = {
	.fork = descriptor_forked,
};
