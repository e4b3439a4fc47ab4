/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stops.c [ROUNDS] - is stopped and continued all the time by a child, while
 * it sleeps in calls with which the kernel goes on by itself.  Prints how often
 * one ended early or with EINTR: never, measured or not; and whether a handler
 * is the end of them, as it should.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "known.h"

enum {
	SLEEP_MS = 4
};

static const struct timespec sleep_time = { 0, SLEEP_MS * 1000000 };
static const struct timespec little = { 0, 300000 };
static volatile int *stops; /* counted by the child */
static volatile sig_atomic_t handled;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void on_alarm(int signum)
{
	handled += signum == SIGALRM;
}

static void stop_all_the_time(pid_t parent)
{
	while (getppid() == parent) {
		nanosleep(&little, NULL);
		kill(parent, SIGSTOP);
		++*stops;
		nanosleep(&little, NULL);
		kill(parent, SIGCONT);
	}
	_exit(0);
}

static int do_nanosleep(void)
{
	struct timespec left = { 7, 7 };

	return nanosleep(&sleep_time, &left);
}

static int do_clock_nanosleep(void)
{
	errno = clock_nanosleep(CLOCK_REALTIME, 0, &sleep_time, NULL);
	return errno ? -1 : 0;
}

static int do_usleep(void)
{
	return usleep(SLEEP_MS * 1000);
}

static int do_poll(void)
{
	return poll(NULL, 0, SLEEP_MS);
}

static int timed_out(long result)
{
	return result == -1 && errno == ETIMEDOUT ? 0 : -1;
}

static int do_futex(void)
{
	int word = 0;

	return timed_out(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &sleep_time));
}

static int do_sem_timedwait(void)
{
	struct timespec end;
	sem_t never;

	sem_init(&never, 0, 0);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += sleep_time.tv_nsec;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	return timed_out(sem_timedwait(&never, &end));
}

static const struct {
	const char *name;
	int (*call)(void);
} calls[] = {
	{ "nanosleep", do_nanosleep },
	{ "clock_nanosleep", do_clock_nanosleep },
	{ "usleep", do_usleep },
	{ "poll", do_poll },
	{ "futex", do_futex },
	{ "sem_timedwait", do_sem_timedwait },
};

enum {
	CALLS = sizeof(calls) / sizeof(calls[0])
};

static bool sleeps_on(int (*call)(void))
{
	uint64_t since = now_ns();

	/* The clocks of the calls differ by no more. */
	return !call() && now_ns() - since > (SLEEP_MS - 1) * 1000000u;
}

/*
 * A handler of the program is the end of it, stopped or not.  It may have run
 * before the call began; not often.
 */
static bool is_ended(int (*call)(void))
{
	const struct itimerval soon = { { 0, 0 }, { 0, 1000 } };
	int result;

	handled = 0;
	setitimer(ITIMER_REAL, &soon, NULL);
	result = call();
	while (!handled)
		;
	return result == -1 && errno == EINTR;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100, early[CALLS] = { 0 };
	const struct sigaction action = { .sa_handler = on_alarm };
	int deaf = 0;
	pid_t child;

	stops = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stops == MAP_FAILED || sigaction(SIGALRM, &action, NULL))
		return 1;
	child = fork();
	if (!child)
		stop_all_the_time(getppid());
	for (int i = 0; i < rounds; i++) {
		for (int c = 0; c < CALLS; c++)
			early[c] += !sleeps_on(calls[c].call);
		for (int c = 0; c < CALLS; c++)
			deaf += !is_ended(calls[c].call);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (int c = 0; c < CALLS; c++)
		printf("%s %d\n", calls[c].name, early[c]);
	printf("deaf to handlers %d\n", deaf * 2 > rounds * CALLS);
	printf("too few stops %d\n", *stops < rounds * CALLS);
	work_for(0.05); /* for a timer, which ticks with the kernel */
	return 0;
}
