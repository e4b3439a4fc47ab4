/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * empty-handler.c - the floor: a preload with copse's first choice of clock
 * and a handler that does nothing.  What copse costs more is its own.
 *
 * EMPTY_HZ is the rate, 1000 when it is not set.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void handle(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

static __attribute__((constructor)) void start(void)
{
	const char *hz = getenv("EMPTY_HZ");
	struct sigaction action = { .sa_sigaction = handle,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period =
			1000000000ull / (hz ? strtoul(hz, NULL, 10) : 1000),
		.disabled = 1,
		.inherit = 1,
		.inherit_thread = 1,
		.remove_on_exec = 1,
		.sigtrap = 1,
	};
	int fd;

	sigaction(SIGTRAP, &action, NULL);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		perror("empty-handler: perf_event_open");
	else
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}
