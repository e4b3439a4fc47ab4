/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deep-stack.c own|other|signal DEPTH - works below DEPTH frames of a page
 * each: on the thread's stack, on a coroutine's, or in a handler on an
 * alternate one. Prints the CPU time of the process, in seconds.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define STACK ((size_t)256 << 20)

static ucontext_t caller, coroutine;
static volatile double sum;
static int depth;

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 100000000; i++)
		sum += i;
}

__attribute__((noinline)) static void down(int n)
{
	volatile char frame[4000];

	frame[0] = 1;
	if (n)
		down(n - 1);
	else
		work();
	frame[1] = frame[0];
}

static void *on_own(void *unused)
{
	down(depth);
	return unused;
}

static void on_other(void)
{
	down(depth);
}

static void on_signal(int signum)
{
	(void)signum;
	down(depth);
}

static void start(void)
{
	pthread_attr_t large;
	pthread_t thread;

	pthread_attr_init(&large);
	pthread_attr_setstacksize(&large, STACK);
	if (pthread_create(&thread, &large, on_own, NULL))
		exit(2);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *where = argc > 2 ? argv[1] : "";
	void *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	stack_t alternate = { .ss_sp = memory, .ss_size = STACK };
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };
	struct timespec used;

	depth = argc > 2 ? atoi(argv[2]) : 0;
	if (!strcmp(where, "own")) {
		start();
	} else if (!strcmp(where, "other")) {
		getcontext(&coroutine);
		coroutine.uc_stack = alternate;
		coroutine.uc_link = &caller;
		makecontext(&coroutine, on_other, 0);
		swapcontext(&caller, &coroutine);
	} else if (!strcmp(where, "signal")) {
		sigaltstack(&alternate, NULL);
		sigaction(SIGUSR1, &action, NULL);
		raise(SIGUSR1);
	} else {
		return 2;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%.3f\n", (double)used.tv_sec + 1e-9 * (double)used.tv_nsec);
	return 0;
}
