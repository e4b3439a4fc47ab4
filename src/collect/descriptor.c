/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.c - numbers for descriptors at the program's limit.
 *
 * A few go just below it.  For more the limit is raised for as long as one
 * system call takes, since the kernel gives no number above it.  A child that
 * another thread forks in these microseconds keeps the raised limit.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/sys.h"
#include "collect/descriptor.h"

enum {
	MOST_BELOW = 64, /* kept at a time below the limit */
	ROOM = 1024,     /* a smaller limit is left to the program */
	HIGHEST = 4096   /* a table up to there is what fork() copies */
};

/* Mutable: one thread at a time changes the limit; how many are kept, by
 * `many`. */
static int locked, kept[2];

static long number_from(int fd, rlim_t first)
{
	return sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first);
}

static long number_above(int fd, const struct rlimit *limit)
{
	const struct rlimit raised = { limit->rlim_max, limit->rlim_max };
	long number;

	if (sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, &raised, 0))
		return -1;
	number = number_from(fd, limit->rlim_cur);
	sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, 0);
	return number;
}

/* A limit that no program reaches needs no number above it. */
static long high_number(int fd, bool many)
{
	struct rlimit limit;

	if (sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit))
		return -1;
	if (many && limit.rlim_cur > HIGHEST)
		return number_from(fd, HIGHEST - MOST_BELOW);
	if (many && limit.rlim_max > limit.rlim_cur)
		return number_above(fd, &limit);
	if (limit.rlim_cur < ROOM || kept[many] > MOST_BELOW)
		return -1;
	if (limit.rlim_cur > HIGHEST)
		limit.rlim_cur = HIGHEST;
	return number_from(fd, limit.rlim_cur - MOST_BELOW);
}

SIGSAFE bool descriptor_is_ours(const struct descriptor *d)
{
	uint64_t id = 0;

	return d->number >= 0 &&
	       !sys3(SYS_ioctl, d->number, PERF_EVENT_IOC_ID, &id) &&
	       id == d->id;
}

struct descriptor descriptor_keep(int fd, bool many)
{
	struct descriptor d = { .number = -1, .many = many };

	while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	kept[many]++;
	if (!sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &d.id))
		d.number = (int)high_number(fd, many);
	if (d.number < 0) {
		d.number = -1;
		kept[many]--;
	}
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
	sys1(SYS_close, fd);
	return d;
}

SIGSAFE void descriptor_drop(struct descriptor *d)
{
	if (d->number < 0)
		return;
	if (descriptor_is_ours(d))
		sys1(SYS_close, d->number);
	__atomic_sub_fetch(&kept[d->many], 1, __ATOMIC_RELAXED);
	d->number = -1;
}

void descriptor_forked(void)
{
	locked = 0;
}
