/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events.c - events whose number is known: pages touched for the first time,
 * sleeps, and moves from core to core, by the function that did them.
 *
 *   events MODE [PAGES]
 *
 * MODE  plain    in the main thread
 *       threads  in four threads at once, each as much as plain
 *       fork     in a child that is forked after it, once more
 *       closed   with every descriptor closed half-way
 *       paused   and once more while copse_pause() holds, which is not counted
 *       numbers  nothing but: how many descriptors can be opened
 *
 * Truths are counts: truth NAME COUNT.  It fails when a system call does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

enum {
	PAGE = 4096,
	SLEEPS = 60,
	THREADS = 4,
};

static long pages = 2000;
static int interrupted;

/* Memory that nobody has touched, one small page at a time. */
static char *fresh(long count)
{
	char *at = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	madvise(at, (size_t)count * PAGE, MADV_NOHUGEPAGE);
	return at;
}

KEPT static void touch_one(volatile char *at, long count)
{
	for (long i = 0; i < count; i++)
		at[i * PAGE] = 1;
}

KEPT static void touch_three(volatile char *at, long count)
{
	for (long i = 0; i < 3 * count; i++)
		at[i * PAGE] = 1;
}

KEPT static void sleep_often(void)
{
	const struct timespec moment = { 0, 200000 };

	for (int i = 0; i < SLEEPS; i++)
		if (nanosleep(&moment, NULL))
			__atomic_fetch_add(&interrupted, 1, __ATOMIC_RELAXED);
}

/* Moves that happened. */
KEPT static long move_about(void)
{
	cpu_set_t allowed, one;
	int cores[2], count = 0;
	long moves = 0;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int i = 0; i < CPU_SETSIZE && count < 2; i++)
		if (CPU_ISSET(i, &allowed))
			cores[count++] = i;
	for (int i = 0; count == 2 && i < SLEEPS; i++) {
		int before = sched_getcpu();

		CPU_ZERO(&one);
		CPU_SET(cores[i % 2], &one);
		sched_setaffinity(0, sizeof(one), &one);
		moves += sched_getcpu() != before;
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return moves;
}

static void *all(void *unused)
{
	char *at = fresh(4 * pages);

	(void)unused;
	touch_one(at, pages);
	touch_three(at + pages * PAGE, pages);
	sleep_often();
	munmap(at, (size_t)(4 * pages) * PAGE);
	return NULL;
}

static int in_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, all, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int in_child(void)
{
	pid_t child;
	int status;

	all(NULL);
	child = fork();
	if (!child) {
		all(NULL);
		exit(0);
	}
	return waitpid(child, &status, 0) != child || status;
}

/* C libraries before 2.34 have none. */
__attribute__((weak)) int close_range(unsigned int first, unsigned int last,
				      int flags);

/* What is ours the program may close; it must not get an error of it. */
static int closed(void)
{
	all(NULL);
	if (!close_range)
		for (int fd = 3; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
			close(fd);
	else if (close_range(3, ~0u, 0))
		return 1;
	all(NULL);
	return 0;
}

static void call(const char *name)
{
	void (*function)(void);

	*(void **)&function = dlsym(RTLD_DEFAULT, name);
	if (function)
		function();
}

static int paused(void)
{
	all(NULL);
	call("copse_pause");
	all(NULL);
	call("copse_resume");
	return 0;
}

static int numbers(void)
{
	int count = 0;

	while (open("/dev/null", O_RDONLY) >= 0)
		count++;
	printf("truth numbers %d\n", count);
	return errno != EMFILE;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	int times = 1, failed = 0;

	if (argc > 2)
		pages = atol(argv[2]);
	if (!strcmp(mode, "numbers"))
		return numbers();
	if (!strcmp(mode, "threads")) {
		failed = in_threads();
		times = THREADS;
	} else if (!strcmp(mode, "fork")) {
		failed = in_child();
		times = 2;
	} else if (!strcmp(mode, "paused")) {
		failed = paused();
	} else if (!strcmp(mode, "closed")) {
		failed = closed();
		times = 2;
	} else {
		all(NULL);
		printf("truth move_about %ld\n", move_about());
	}
	printf("truth touch_one %ld\n", times * pages);
	printf("truth touch_three %ld\n", 3 * times * pages);
	printf("truth sleep_often %d\n", times * SLEEPS);
	printf("truth interrupted %d\n", interrupted);
	return failed || interrupted;
}
