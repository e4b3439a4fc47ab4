/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork-floor.c - a library to be preloaded that does the least of what samples
 * need at a fork: a clock of the process, with a descriptor out of the
 * program's way, and a clock of each child, kept alive by its page.  Without
 * FLOOR_CLOCKS it does nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void on_clock(int signum)
{
	(void)signum;
}

static int open_clock(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000,
		.sigtrap = 1,
		.remove_on_exec = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);

	mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	return fd;
}

static void in_child(void)
{
	close(open_clock());
}

__attribute__((constructor)) static void start_floor(void)
{
	int fd;

	if (!getenv("FLOOR_CLOCKS"))
		return;
	signal(SIGTRAP, on_clock);
	fd = open_clock();
	fcntl(fd, F_DUPFD_CLOEXEC, 224);
	close(fd);
	pthread_atfork(NULL, NULL, in_child);
}
