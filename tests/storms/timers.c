/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timers.c - a program with signals of its own: interval timers, real-time
 * signals of timer_create(), a handler for SIGTRAP and true breakpoints, and
 * stretches with everything blocked.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "storm.h"

static volatile sig_atomic_t traps, wrong;
static volatile unsigned long handled;

static KEPT void on_trap(int signum, siginfo_t *info, void *context)
{
	(void)context;
	traps++;
	/* A breakpoint is no tick. */
	wrong |= signum != SIGTRAP || info->si_code != SI_KERNEL;
}

static KEPT void on_timer(int signum)
{
	(void)signum;
	known_work();
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void take_signals(void)
{
	const int signals[] = { SIGALRM, SIGVTALRM, SIGPROF, SIGRTMIN + 2 };
	struct sigaction trap = { .sa_sigaction = on_trap,
				  .sa_flags = SA_SIGINFO };
	struct sigaction timer = { .sa_handler = on_timer,
				   .sa_flags = SA_RESTART };

	for (int i = 0; i < STORM_COUNT(signals); i++)
		sigaction(signals[i], &timer, NULL);
	sigaction(SIGTRAP, &trap, NULL);
}

static void start_timers(void)
{
	struct itimerval often = { { 0, 1700 }, { 0, 1700 } };
	struct itimerspec real = { { 0, 1300000 }, { 0, 1300000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGRTMIN + 2 };
	timer_t timer;

	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &real, NULL))
		storm_broken("timer_create");
}

static KEPT void breakpoints(void)
{
	int before = traps;

	for (int i = 0; i < 50; i++)
		__asm__ volatile("int3");
	if (traps != before + 50 || wrong)
		storm_broken("SIGTRAP");
}

static KEPT void blocked(void)
{
	sigset_t all, old, now;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	known_work();
	pthread_sigmask(SIG_SETMASK, &old, &now);
	if (!sigismember(&now, SIGPROF) || sigismember(&old, SIGPROF))
		storm_broken("pthread_sigmask");
}

static void *storm(void *unused)
{
	while (storm_lasts())
		blocked();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	storm_begins(argc, argv);
	take_signals();
	start_timers();
	if (pthread_create(&thread, NULL, storm, NULL))
		return 1;
	while (storm_lasts()) {
		breakpoints();
		blocked();
	}
	pthread_join(thread, NULL);
	puts(handled ? "through" : "no timer ran");
	return 0;
}
