/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-floor.c - a library to be preloaded: what anybody pays who samples
 * each thread.  One event of the thread's CPU time is opened and mapped when it
 * begins, and unmapped when its function returns.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct start {
	void *(*function)(void *);
	void *data;
};

static void *event_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000, /* no thread here has a sample */
		.remove_on_exec = 1,
		.sigtrap = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	close(fd);
	return page;
}

static void *begin(void *of)
{
	struct start start = *(struct start *)of;
	void *page = event_open(), *result;

	free(of);
	result = start.function(start.data);
	munmap(page, 4096);
	return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*function)(void *), void *data)
{
	static int (*next)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);
	struct start *start = malloc(sizeof(*start));

	if (!next)
		next = (typeof(next))dlsym(RTLD_NEXT, "pthread_create");
	*start = (struct start){ function, data };
	return next(thread, attr, begin, start);
}
