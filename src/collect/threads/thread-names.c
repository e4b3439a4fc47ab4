/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-names.c - what programs call their threads, after they have begun: the
 * names are read again when a thread ends, and those of all when the process
 * does.
 */
#include <fcntl.h>
#include <stdio.h>

#include "base/sys.h"
#include "collect/source.h"
#include "collect/thread.h"

static void name_own(struct thread *t)
{
	if (t->ready && thread_open())
		thread_take_name(t);
}

static void name_other(const struct thread *t)
{
	char path[64], name[sizeof(t->live->name)];
	long fd, n;

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", t->tid);
	fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	n = sys3(SYS_read, fd, name, sizeof(name));
	sys1(SYS_close, fd);
	if (n < 1)
		return;
	name[n - 1] = '\0'; /* for the end of the line */
	sys_copy(t->live->name, name, (uint64_t)n);
}

__attribute__((destructor)) static void name_all(void)
{
	uint64_t mask;

	if (!thread_self() || !thread_open())
		return;
	for (struct thread *t = threads_hold(&mask); t; t = t->older)
		if (t->alive && t->ready && !*t->name)
			name_other(t);
	threads_let_go();
}

const struct source source_thread_names = {
	.thread_last = name_own,
};
