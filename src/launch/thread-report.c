/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-report.c - see thread-report.h. */
#include "launch/thread-report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "launch/live-run.h"

enum {
	THREADS_MOST = 256, /* of a process */
	PATIENCE_MS = 3000,
	STEP_MS = 50
};

static const char *file_in(char to[PATH_MAX], const char *folder,
			   const char *name)
{
	snprintf(to, PATH_MAX, "%s/%s", folder, name);
	return to;
}

/*
 * The parent.
 */

/* What a thread that sleeps has; one that runs would change it meanwhile. */
static void read_stack(struct thread_report *r)
{
	struct iovec here = { r->stack, sizeof(r->stack) };
	struct iovec there = { (void *)(uintptr_t)r->state.sp,
			       sizeof(r->stack) };
	ssize_t size = 0;

	if (r->state.sp)
		size = process_vm_readv(r->pid, &here, 1, &there, 1, 0);
	r->stack_size = size > 0 ? (size_t)size : 0;
}

static void report_threads(int fd, pid_t pid)
{
	char path[64];
	struct thread_report r;
	struct dirent *entry;
	int count = 0;
	DIR *list;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	list = opendir(path);
	while (list && count < THREADS_MOST && (entry = readdir(list))) {
		memset(&r, 0, sizeof(r));
		r.pid = pid;
		r.tid = atoi(entry->d_name);
		if (!r.tid || !thread_state_look(&r.state, pid, r.tid))
			continue;
		read_stack(&r);
		count += write(fd, &r, sizeof(r)) == sizeof(r);
	}
	if (list)
		closedir(list);
}

static void write_report(const char *folder)
{
	char part[PATH_MAX], whole[PATH_MAX];
	int fd = open(file_in(part, folder, "threads.part"),
		      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		      0600);
	struct live_file *files;
	size_t count;

	if (fd < 0)
		return;
	count = livedir_files(folder, &files);
	for (size_t i = 0; i < count; i++)
		if (!i || files[i].pid != files[i - 1].pid)
			report_threads(fd, files[i].pid);
	free(files);
	close(fd);
	rename(part, file_in(whole, folder, "threads"));
}

void thread_report_answer(const char *folder)
{
	char path[PATH_MAX];

	if (!unlink(file_in(path, folder, "ask")))
		write_report(folder);
}

/*
 * The one who asks.
 */

static bool ask_parent(const char *folder)
{
	char path[PATH_MAX];
	int fd;

	unlink(file_in(path, folder, "threads"));
	fd = open(file_in(path, folder, "ask"),
		  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct report_list {
	struct thread_report *at;
	size_t count, room;
};

static bool read_report(struct report_list *list, const char *folder)
{
	char path[PATH_MAX];
	int fd = open(file_in(path, folder, "threads"),
		      O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct thread_report r;

	if (fd < 0)
		return false;
	while (read(fd, &r, sizeof(r)) == sizeof(r) &&
	       r.stack_size <= sizeof(r.stack) &&
	       array_append(&list->at, &list->count, &list->room, sizeof(r),
			    &r))
		;
	close(fd);
	unlink(path);
	return true;
}

size_t thread_report_ask(const struct live_run *run, struct thread_report **to)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };
	bool *waits = calloc(run->count + 1, sizeof(*waits));
	struct report_list list = { 0 };
	size_t left = 0;

	for (size_t i = 0; waits && i < run->count; i++)
		left += waits[i] = ask_parent(run->at[i].path);
	for (int ms = 0; left && ms < PATIENCE_MS; ms += STEP_MS) {
		nanosleep(&step, NULL);
		for (size_t i = 0; i < run->count; i++)
			if (waits[i] && read_report(&list, run->at[i].path)) {
				waits[i] = false;
				left--;
			}
	}
	free(waits);
	*to = list.at;
	return list.count;
}
