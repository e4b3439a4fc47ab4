/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.c - trying a perf event. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/perf-attr.h"
#include "launch/perf.h"

static int try_perf_event(struct perf_attr *attr)
{
	long fd;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_hv = 1;
	fd = syscall(SYS_perf_event_open, attr, 0, -1, -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

int perf_try(bool kernel)
{
	struct perf_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000,
		.exclude_kernel = !kernel,
		.sigtrap = 1,
		.remove_on_exec = 1,
	};

	return perf_sigtrap_is_safe() ? try_perf_event(&attr) : -EINVAL;
}

int perf_try_counter(uint64_t event)
{
	struct perf_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = event,
		.exclude_kernel = 1,
	};

	return try_perf_event(&attr);
}

/* The kernel looks at the flags first, and these are none of its own. */
bool perf_is_filtered(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0ul) < 0 &&
	       errno != EINVAL;
}
