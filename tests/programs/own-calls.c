/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * own-calls.c - has functions of its own in front of the C library's, as
 * Erlang's runtime has, by two names, and calls on by the other one.  Prints
 * how often each was called: by this program, and by nobody else.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static volatile int actions, masks, threads, ticks;

/* The next function of that name, wherever that is. */
#define NEXT(name, type)                                                       \
	({                                                                     \
		static __typeof__(type) *next;                                 \
                                                                               \
		if (!next)                                                     \
			next = (__typeof__(type) *)dlsym(RTLD_NEXT, name);     \
		if (!next)                                                     \
			abort();                                               \
		next;                                                          \
	})

EXPORTED int sigaction(int signum, const struct sigaction *action,
		       struct sigaction *old)
{
	actions++;
	return NEXT("__sigaction", sigaction)(signum, action, old);
}

EXPORTED int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	masks++;
	return NEXT("pthread_sigmask", sigprocmask)(how, set, old);
}

EXPORTED int pthread_create(pthread_t *to, const pthread_attr_t *attributes,
			    void *(*run)(void *), void *data)
{
	threads++;
	return NEXT("pthread_create", pthread_create)(to, attributes, run,
						      data);
}

static void on_signal(int signum)
{
	(void)signum;
	ticks++;
}

static void *work(void *unused)
{
	volatile double x = 0;

	for (long i = 0; i < 50000000; i++)
		x = x * 0.999 + 1;
	return unused;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal }, old;
	sigset_t set;
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR1, NULL, &old);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("%d actions, %d masks, %d threads, %d signal, %s\n", actions,
	       masks, threads, ticks,
	       old.sa_handler == on_signal ? "same handler"
					   : "another handler");
	return 3;
}
