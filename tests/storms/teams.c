/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * teams.c LIBRARY SECONDS - parallel regions that are short, nested, cancelled,
 * full of tasks, forked in, begun by threads that come and go and by a library
 * that does, and interrupted by signals; each is checked for what it computes.
 */
#include <dlfcn.h>
#include <omp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "storm.h"

#define MANY 200

static const char *library;
static _Atomic long signals_seen;

static KEPT long brief(long of)
{
	long sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	sum += of + omp_get_thread_num();
	return sum;
}

static void plain(void)
{
	for (long i = 0; i < MANY; i++)
		if (brief(i) != 3 * i + 3)
			storm_broken("a region");
}

static void loops(void)
{
	long sum = 0, most = 0;

#pragma omp parallel for schedule(dynamic) reduction(+ : sum) num_threads(3)
	for (long i = 0; i < MANY; i++)
		sum += i;
#pragma omp parallel for schedule(guided) reduction(max : most) num_threads(2)
	for (long i = 0; i < MANY; i++)
		most = i > most ? i : most;
	if (sum != MANY * (MANY - 1) / 2 || most != MANY - 1)
		storm_broken("a loop");
}

static void nested(void)
{
	long sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
	sum += brief(1);
	if (sum != 4 * 6)
		storm_broken("a nested region");
}

static KEPT long fibonacci(long n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fibonacci(n - 1);
#pragma omp task shared(b)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

static void tasks(void)
{
	long n = 0, sum = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	n = fibonacci(12);
#pragma omp parallel num_threads(3) reduction(task, + : sum)
#pragma omp single nowait
	for (int i = 0; i < MANY; i++)
#pragma omp task in_reduction(+ : sum)
		sum += i;
	if (n != 144 || sum != MANY * (MANY - 1) / 2)
		storm_broken("a task");
}

static void cancelled(void)
{
	_Atomic int came = 0;

#pragma omp parallel num_threads(3)
	{
		came++;
#pragma omp cancel parallel
		came = -1000;
	}
	if (came < 1 || came > 3)
		storm_broken("a cancelled region");
}

/* Only the child's own thread is there: it ends without the team. */
static void forks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp critical
	{
		int number = omp_get_thread_num(); /* a child may forget it */
		pid_t child = fork();
		int status;

		if (!child)
			_exit(number + 7);
		if (child > 0 &&
		    (waitpid(child, &status, 0) != child ||
		     !WIFEXITED(status) || WEXITSTATUS(status) != number + 7))
			storm_broken("a child of a region");
	}
}

static void *comes_and_goes(void *unused)
{
	for (long i = 0; i < 20; i++)
		if (brief(i) != 3 * i + 3)
			storm_broken("a thread's region");
	return unused;
}

static void threads(void)
{
	static void *(*const functions[])(void *) = { comes_and_goes,
						      comes_and_goes };

	storm_threads(functions, STORM_COUNT(functions));
}

static void late(void)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	int (*sum)(int) =
		handle ? (int (*)(int))dlsym(handle, "late_threads") : NULL;

	if (!sum || sum(3) != 6)
		storm_broken("a library's region");
	dlclose(handle);
}

static void on_signal(int unused)
{
	(void)unused;
	signals_seen++;
}

/* To whichever thread it comes. */
static void signals(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	plain();
	nested();
	setitimer(ITIMER_REAL, &never, NULL);
}

int main(int argc, char **argv)
{
	storm_begins(argc, argv);
	library = argv[1];
	omp_set_max_active_levels(3);
	while (storm_lasts()) {
		plain();
		loops();
		nested();
		tasks();
		cancelled();
		forks();
		threads();
		late();
		signals();
	}
	puts("all regions were right");
	return 0;
}
