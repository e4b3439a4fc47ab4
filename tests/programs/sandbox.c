/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sandbox.c - children that forbid themselves nearly all system calls, by
 * each of the ways to do it, and work on; one asks first what there is, as
 * libraries do; one is the first of several threads.  Prints how each ended:
 * well, measured or not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
#endif

enum {
	THREADS = 3,
	ROUNDS = 400 /* 20 ms: some ticks of each clock */
};

#define ALLOW(name)                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                 \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What a program needs that only computes and starts threads. */
static struct sock_filter rules[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(write),
	ALLOW(exit),
	ALLOW(exit_group),
	ALLOW(rt_sigreturn),
	ALLOW(rt_sigaction),
	ALLOW(rt_sigprocmask),
	ALLOW(mmap),
	ALLOW(munmap),
	ALLOW(mprotect),
	ALLOW(madvise),
	ALLOW(brk),
	ALLOW(futex),
	ALLOW(clone),
	ALLOW(clone3),
	ALLOW(rseq),
	ALLOW(set_robust_list),
	ALLOW(execve),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
static const struct sock_fprog filter = {
	.len = sizeof(rules) / sizeof(rules[0]),
	.filter = rules,
};

static void work(void)
{
	for (int i = 0; i < ROUNDS; i++)
		known_work();
}

static void *worker(void *unused)
{
	work();
	return unused;
}

static int by_strict(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

static int by_prctl(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

static int by_seccomp(void)
{
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

/* A handler for the alternate stack, of a library, set in the sandbox. */
static int handler_in_it(void)
{
	struct sigaction action = { .sa_handler = (void (*)(int))srand,
				    .sa_flags = SA_ONSTACK };

	return by_prctl() || sigaction(SIGUSR1, &action, NULL);
}

/* Asks for what is not there, is refused, works on, and is then in earnest. */
static int by_asking(void)
{
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_TSYNC, NULL) != -1 ||
	    errno != EFAULT)
		return 1;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != -1 ||
	    errno != EFAULT)
		return 1;
	work();
	return by_prctl();
}

static int in_threads(void)
{
	pthread_t threads[THREADS];
	int err;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	work();
	err = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			   SECCOMP_FILTER_FLAG_TSYNC, &filter);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return err;
}

static int more_threads(void)
{
	pthread_t thread;

	return by_seccomp() || pthread_create(&thread, NULL, worker, NULL) ||
	       pthread_join(thread, NULL);
}

static void *wait_on(void *unused)
{
	work();
	pause();
	return unused;
}

/* Another thread is there still, and exit() has no more calls either. */
static int to_the_end(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_on, NULL);
	work();
	if (by_prctl())
		return 1;
	work();
	exit(0);
}

static const struct way {
	const char *name;
	int (*enter)(void);
} ways[] = {
	{ "strict", by_strict },
	{ "prctl", by_prctl },
	{ "seccomp", by_seccomp },
	{ "asked first", by_asking },
	{ "handler in it", handler_in_it },
	{ "of threads", in_threads },
	{ "threads in it", more_threads },
	{ "to the end", to_the_end },
};

static void child(const struct way *way)
{
	work();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (way->enter())
		_exit(1);
	work();
	syscall(SYS_exit, 0);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		int status = -1;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid)
			child(&ways[i]);
		waitpid(pid, &status, 0);
		printf("%s %s %d\n", ways[i].name,
		       WIFSIGNALED(status) ? "killed by" : "ended with",
		       WIFSIGNALED(status) ? WTERMSIG(status)
					   : WEXITSTATUS(status));
	}
	work();
	return 0;
}
