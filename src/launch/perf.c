/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.c - trying a perf event. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/perf.h"

int perf_try(bool kernel, bool sigtrap)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000,
		.disabled = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.sigtrap = sigtrap,
		.remove_on_exec = sigtrap,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}
