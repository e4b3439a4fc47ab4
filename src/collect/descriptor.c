/* SPDX-License-Identifier: BSD-3-Clause */
/* descriptor.c - numbers for descriptors just below the program's limit. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>

#include "base/sys.h"
#include "collect/descriptor.h"

enum {
	MOST = 64,     /* kept at a time */
	ROOM = 1024,   /* a smaller limit is left to the program */
	HIGHEST = 4096 /* a table up to there is what fork() copies */
};

/* Mutable: how many are kept. */
static int kept;

static long number_high_up(int fd)
{
	struct rlimit limit;
	rlim_t top;

	if (sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit) ||
	    limit.rlim_cur < ROOM)
		return -1;
	top = limit.rlim_cur < HIGHEST ? limit.rlim_cur : HIGHEST;
	return sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, top - MOST);
}

SIGSAFE bool descriptor_is_ours(const struct descriptor *d)
{
	uint64_t id = 0;

	return d->number >= 0 &&
	       !sys3(SYS_ioctl, d->number, PERF_EVENT_IOC_ID, &id) &&
	       id == d->id;
}

struct descriptor descriptor_keep(int fd)
{
	struct descriptor d = { .number = -1 };

	if (__atomic_add_fetch(&kept, 1, __ATOMIC_RELAXED) <= MOST &&
	    !sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &d.id))
		d.number = (int)number_high_up(fd);
	if (d.number < 0) {
		d.number = -1;
		__atomic_sub_fetch(&kept, 1, __ATOMIC_RELAXED);
	}
	sys1(SYS_close, fd);
	return d;
}

void descriptor_drop(struct descriptor *d)
{
	if (d->number < 0)
		return;
	if (descriptor_is_ours(d))
		sys1(SYS_close, d->number);
	__atomic_sub_fetch(&kept, 1, __ATOMIC_RELAXED);
	d->number = -1;
}
