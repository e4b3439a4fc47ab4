/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stops.c [ROUNDS] - is stopped and continued all the time by a child, while
 * it sleeps in calls with which the kernel goes on by itself, or begins again.
 * Prints how often one ended early or with EINTR: never, measured or not; and
 * whether a handler is the end of them, as it should.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
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
/* Shared with the child, who counts, until it is told to leave. */
static volatile int *stops, *enough;
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
	while (getppid() == parent && !*enough) {
		nanosleep(&little, NULL);
		kill(parent, SIGSTOP);
		++*stops;
		nanosleep(&little, NULL);
		kill(parent, SIGCONT);
	}
	_exit(0);
}

static struct timespec end_of(clockid_t clock)
{
	struct timespec end;

	clock_gettime(clock, &end);
	end.tv_nsec += sleep_time.tv_nsec;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	return end;
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
	struct timespec end = end_of(CLOCK_REALTIME);
	sem_t never;

	sem_init(&never, 0, 0);
	return timed_out(sem_timedwait(&never, &end));
}

static int do_select(void)
{
	struct timeval left = { 0, SLEEP_MS * 1000 };
	int result = select(0, NULL, NULL, NULL, &left);

	return left.tv_sec || (!result && left.tv_usec) ? -2 : result;
}

static int do_pselect(void)
{
	return pselect(0, NULL, NULL, NULL, &sleep_time, NULL);
}

static int do_ppoll(void)
{
	return ppoll(NULL, 0, &sleep_time, NULL);
}

static int do_ppoll_masked(void)
{
	sigset_t none;

	sigemptyset(&none);
	return ppoll(NULL, 0, &sleep_time, &none);
}

static int sleep_until(clockid_t clock)
{
	struct timespec end = end_of(clock);

	errno = clock_nanosleep(clock, TIMER_ABSTIME, &end, NULL);
	return errno ? -1 : 0;
}

static int do_until(void)
{
	return sleep_until(CLOCK_MONOTONIC);
}

static int do_until_realtime(void)
{
	return sleep_until(CLOCK_REALTIME);
}

/* The same by syscall(), where what is left goes to the caller. */
static int raw_nanosleep(void)
{
	struct timespec left = { 7, 7 };

	return (int)syscall(SYS_nanosleep, &sleep_time, &left);
}

static int raw_clock_nanosleep(void)
{
	return (int)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0,
			    &sleep_time, NULL);
}

static int raw_until(void)
{
	struct timespec end = end_of(CLOCK_MONOTONIC);

	return (int)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME,
			    &end, NULL);
}

static int raw_poll(void)
{
	return (int)syscall(SYS_poll, NULL, 0, SLEEP_MS);
}

static int raw_pselect(void)
{
	struct timespec left = sleep_time;

	return (int)syscall(SYS_pselect6, 0, NULL, NULL, NULL, &left, NULL);
}

static int raw_ppoll(void)
{
	struct timespec left = sleep_time;

	return (int)syscall(SYS_ppoll, NULL, 0, &left, NULL, sizeof(uint64_t));
}

static int raw_ppoll_masked(void)
{
	struct timespec left = sleep_time;
	uint64_t none = 0;

	return (int)syscall(SYS_ppoll, NULL, 0, &left, &none, sizeof(none));
}

/*
 * The same by an instruction of the program's own.  Its number is in memory: no
 * code before the instruction says which call it is.
 */
static volatile long numbers[] = { SYS_nanosleep, SYS_clock_nanosleep, SYS_poll,
				   SYS_futex };

static long by_number(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

static int own_nanosleep(void)
{
	return (int)by_number(numbers[0], (long)&sleep_time, 0, 0, 0);
}

static int own_clock_nanosleep(void)
{
	return (int)by_number(numbers[1], CLOCK_MONOTONIC, 0, (long)&sleep_time,
			      0);
}

static int own_poll(void)
{
	struct pollfd none = { .fd = -1 };

	return (int)by_number(numbers[2], (long)&none, 1, SLEEP_MS, 0);
}

static int own_futex(void)
{
	int word = 0;

	return timed_out(by_number(numbers[3], (long)&word, FUTEX_WAIT, 0,
				   (long)&sleep_time));
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
	{ "select", do_select },
	{ "pselect", do_pselect },
	{ "ppoll", do_ppoll },
	{ "ppoll with a mask", do_ppoll_masked },
	{ "until", do_until },
	{ "until, real time", do_until_realtime },
	{ "raw nanosleep", raw_nanosleep },
	{ "raw clock_nanosleep", raw_clock_nanosleep },
	{ "raw until", raw_until },
	{ "raw poll", raw_poll },
	{ "raw pselect", raw_pselect },
	{ "raw ppoll", raw_ppoll },
	{ "raw ppoll with a mask", raw_ppoll_masked },
	{ "own nanosleep", own_nanosleep },
	{ "own clock_nanosleep", own_clock_nanosleep },
	{ "own poll", own_poll },
	{ "own futex", own_futex },
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

/*
 * Where the signal is let through by the call alone, its handler has run if and
 * only if the call says EINTR.
 */
static int by_ppoll(const sigset_t *mask)
{
	return ppoll(NULL, 0, &sleep_time, mask);
}

static int by_pselect(const sigset_t *mask)
{
	return pselect(0, NULL, NULL, NULL, &sleep_time, mask);
}

static int by_sigsuspend(const sigset_t *mask)
{
	return sigsuspend(mask);
}

static int (*const masked[])(const sigset_t *) = { by_ppoll, by_pselect,
						   by_sigsuspend };

static int says_wrong(int (*call)(const sigset_t *), int alarms)
{
	const struct itimerval no = { 0 };
	sigset_t alarm, old;
	int wrong = 0;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, &old);
	for (int i = 0; i < alarms; i++) {
		const int us = 100 + (int)(known_random() * 2000);
		const struct itimerval soon = { { 0, us }, { 0, us } };
		int before = handled, result;

		setitimer(ITIMER_REAL, &soon, NULL);
		errno = 0;
		result = call(&old);
		wrong += (result == -1 && errno == EINTR) != (handled > before);
	}
	setitimer(ITIMER_REAL, &no, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return wrong;
}

/* Calls that nothing but a handler ends. */
static int full, empty; /* queues of messages */
static struct {
	long type;
	char text[1024];
} message = { .type = 1 };

static int for_ever_select(void)
{
	return select(0, NULL, NULL, NULL, NULL);
}

static int for_ever_pselect(void)
{
	return pselect(0, NULL, NULL, NULL, NULL, NULL);
}

static int for_ever_ppoll(void)
{
	return ppoll(NULL, 0, NULL, NULL);
}

static int for_ever_msgrcv(void)
{
	return (int)msgrcv(empty, &message, sizeof(message.text), 0, 0);
}

static int for_ever_msgsnd(void)
{
	return msgsnd(full, &message, sizeof(message.text), 0);
}

static int raw_pause(void)
{
	return (int)syscall(SYS_pause);
}

static int raw_sigsuspend(void)
{
	uint64_t none = 0;

	return (int)syscall(SYS_rt_sigsuspend, &none, sizeof(none));
}

static int raw_msgrcv(void)
{
	return (int)syscall(SYS_msgrcv, empty, &message, sizeof(message.text),
			    0, 0);
}

static int raw_msgsnd(void)
{
	return (int)syscall(SYS_msgsnd, full, &message, sizeof(message.text),
			    0);
}

static int (*const for_ever[])(void) = {
	for_ever_select, for_ever_pselect, for_ever_ppoll, pause,
	for_ever_msgrcv, for_ever_msgsnd,  raw_pause,      raw_sigsuspend,
	raw_msgrcv,      raw_msgsnd,
};

enum {
	FOR_EVER = sizeof(for_ever) / sizeof(for_ever[0])
};

static bool make_queues(void)
{
	full = msgget(IPC_PRIVATE, 0600);
	empty = msgget(IPC_PRIVATE, 0600);
	if (full < 0 || empty < 0)
		return false;
	while (!msgsnd(full, &message, sizeof(message.text), IPC_NOWAIT))
		;
	return errno == EAGAIN;
}

static void remove_queues(void)
{
	msgctl(full, IPC_RMID, NULL);
	msgctl(empty, IPC_RMID, NULL);
}

/* It ends with a handler, not before; one may run before it begins. */
static bool waits_for_handler(int (*call)(void))
{
	const struct itimerval soon = { { 0, 4000 }, { 0, 4000 } }, no = { 0 };
	int before = handled, result;

	setitimer(ITIMER_REAL, &soon, NULL);
	result = call();
	before = handled - before;
	setitimer(ITIMER_REAL, &no, NULL);
	return result == -1 && before >= 1;
}

/*
 * A handler that runs while they wait is the end of them, whatever stops them
 * before it, behind it or at once.  A second child sends it when the first
 * process sleeps, and again when that did not help.
 */
static volatile int *asked;

static bool sleeps(const char *stat)
{
	char line[512], *at;
	FILE *file = fopen(stat, "r");
	bool is = file && fgets(line, sizeof(line), file) &&
		  (at = strrchr(line, ')')) && at[2] == 'S';

	if (file)
		fclose(file);
	return is;
}

static void send_in_turn(pid_t parent, int turn)
{
	static const int signals[][3] = {
		{ SIGALRM, SIGSTOP, SIGCONT },
		{ SIGSTOP, SIGALRM, SIGCONT },
		{ SIGSTOP, SIGCONT, SIGALRM },
	};

	for (int i = 0; i < 3; i++)
		kill(parent, signals[turn % 3][i]);
}

static void send_when_asleep(pid_t parent)
{
	char stat[64];

	snprintf(stat, sizeof(stat), "/proc/%d/stat", (int)parent);
	for (int done = 0; getppid() == parent;) {
		uint64_t since = now_ns();

		while ((*asked == done || !sleeps(stat)) && getppid() == parent)
			nanosleep(&little, NULL);
		send_in_turn(parent, ++done);
		while (*asked == done && getppid() == parent)
			if (now_ns() - since > 2000000000u) {
				kill(parent, SIGALRM);
				since = now_ns();
			}
	}
	_exit(0);
}

/*
 * Late: only the second handler was the end.  Rarely, the first one runs when
 * the kernel is about to begin a call again, measured or not.
 */
static int late_ends(int rounds)
{
	pid_t child = fork();
	int late = 0;

	if (!child)
		send_when_asleep(getppid());
	for (int i = 0; i < rounds * FOR_EVER; i++) {
		uint64_t since = now_ns();
		int before = handled;

		++*asked;
		late += for_ever[i % FOR_EVER]() != -1 || errno != EINTR ||
			handled == before || now_ns() - since > 1500000000u;
	}
	++*asked;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return late;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100, early[CALLS] = { 0 };
	const struct sigaction action = { .sa_handler = on_alarm };
	int deaf = 0, alone = 0, wrong = 0;
	pid_t child;

	stops = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	asked = stops + 1;
	enough = stops + 2;
	if (stops == MAP_FAILED || sigaction(SIGALRM, &action, NULL) ||
	    !make_queues())
		return 1;
	child = fork();
	if (!child)
		stop_all_the_time(getppid());
	for (int i = 0; i < rounds; i++) {
		for (int c = 0; c < CALLS; c++)
			early[c] += !sleeps_on(calls[c].call);
		for (int c = 0; c < CALLS; c++)
			deaf += !is_ended(calls[c].call);
		for (int m = 0; m < 3; m++)
			wrong += says_wrong(masked[m], 10);
		for (int f = 0; f < FOR_EVER; f++)
			alone += !waits_for_handler(for_ever[f]);
	}
	printf("missed handlers %d\n",
	       late_ends(rounds) * 4 > rounds * FOR_EVER);
	*enough = 1; /* killed, it might leave this process stopped */
	waitpid(child, NULL, 0);
	remove_queues();
	for (int c = 0; c < CALLS; c++)
		printf("%s %d\n", calls[c].name, early[c]);
	printf("said wrong of handlers %d\n", wrong);
	printf("ended by no handler %d\n", alone);
	printf("deaf to handlers %d\n", deaf * 2 > rounds * CALLS);
	printf("too few stops %d\n", *stops < rounds * CALLS);
	work_for(0.05); /* for a timer, which ticks with the kernel */
	return 0;
}
