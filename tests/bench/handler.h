/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handler.h - a preload with copse's first choice of clock, and handle() for
 * a handler, which its includer defines.
 *
 * HANDLER_HZ is the rate, 1000 when it is not set.  The number of calls goes,
 * at the program's end, into the file that HANDLER_COUNT names.
 */
#pragma once

#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static void handle(const ucontext_t *context);

static unsigned long handler_calls;

static void handler_on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	__atomic_add_fetch(&handler_calls, 1, __ATOMIC_RELAXED);
	handle(context);
}

static __attribute__((constructor)) void handler_start(void)
{
	const char *hz = getenv("HANDLER_HZ");
	struct sigaction action = { .sa_sigaction = handler_on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period =
			1000000000ull / (hz ? strtoul(hz, NULL, 10) : 1000),
		.disabled = 1,
		.remove_on_exec = 1,
		.sigtrap = 1,
	};
	int fd;

	sigaction(SIGTRAP, &action, NULL);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		perror("handler: perf_event_open");
	else
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static __attribute__((destructor)) void handler_stop(void)
{
	const char *name = getenv("HANDLER_COUNT");
	FILE *to = name ? fopen(name, "w") : NULL;

	if (!to)
		return;
	fprintf(to, "%lu\n", handler_calls);
	fclose(to);
}
