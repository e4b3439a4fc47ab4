/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock-tally.c - preloaded: when a process exits, how often it asked for
 * mutexes, rwlocks, conditions and semaphores, and its CPU seconds, are a line
 * of the file that TALLY names.  The counts are the calls of all threads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
	unsigned long mutexes, rwlocks, conditions, semaphores;
} all;

static __thread struct {
	unsigned long mutexes, rwlocks, conditions, semaphores;
} own __attribute__((tls_model("initial-exec")));

/* A thread's own are added to all now and then: a shared line would cost. */
#define COUNT(kind)                                                            \
	do {                                                                   \
		if (++own.kind % 64 == 0)                                      \
			__atomic_fetch_add(&all.kind, 64, __ATOMIC_RELAXED);   \
	} while (0)

#define COUNTED(kind, name, type)                                              \
	int name(type *);                                                      \
	int name(type *lock)                                                   \
	{                                                                      \
		static int (*real)(type *);                                    \
                                                                               \
		if (!real)                                                     \
			real = (int (*)(type *))dlsym(RTLD_NEXT, #name);       \
		COUNT(kind);                                                   \
		return real(lock);                                             \
	}

COUNTED(mutexes, pthread_mutex_lock, pthread_mutex_t)
COUNTED(rwlocks, pthread_rwlock_rdlock, pthread_rwlock_t)
COUNTED(rwlocks, pthread_rwlock_wrlock, pthread_rwlock_t)
COUNTED(semaphores, sem_wait, sem_t)

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	static int (*real)(pthread_cond_t *, pthread_mutex_t *);

	if (!real)
		real = (int (*)(pthread_cond_t *, pthread_mutex_t *))dlvsym(
			RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	COUNT(conditions);
	return real(condition, mutex);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("TALLY");
	struct rusage used;
	int fd;

	if (!path || getrusage(RUSAGE_SELF, &used))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return;
	dprintf(fd, "%lu %lu %lu %lu %.3f\n", all.mutexes, all.rwlocks,
		all.conditions, all.semaphores,
		seconds(used.ru_utime) + seconds(used.ru_stime));
	close(fd);
}
