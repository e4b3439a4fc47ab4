/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faults.c KIND - works, and then dies in one of these ways, of what a row of
 * `kinds` says.  `faults all [SECONDS]`: so do children, again and again, and
 * what they die of is what it has to be.  `faults waits` works until it is
 * killed.  `faults doors` prints the actions of
 * signals that a program sees, by each way to ask for them.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

static char *volatile nowhere;
static volatile int nothing;
static sigjmp_buf back;

static KEPT void store(void)
{
	nowhere[0x10] = 1;
	known_work();
}

static KEPT void call(void)
{
	((void (*)(void))nowhere)();
	known_work();
}

static KEPT void divide(void)
{
	__asm__ volatile("idivl %0" : : "r"(nothing) : "eax", "edx");
	known_work();
}

static KEPT void illegal(void)
{
	__asm__ volatile("ud2");
	known_work();
}

static KEPT void give_up(void)
{
	abort();
}

static KEPT void claim(void)
{
	assert(nothing);
	known_work();
}

static KEPT void copy(void)
{
	memcpy(nowhere, &kill, 4000 + (size_t)nothing);
	known_work();
}

/* Behind the end of an empty file. */
static KEPT void map(void)
{
	int fd = memfd_create("empty", MFD_CLOEXEC);
	char *at = mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0);

	at[5] = 1;
	known_work();
}

static KEPT int deeper(volatile char *above)
{
	volatile char room[1000];

	room[0] = room[1] = *above;
	return room[1] ? deeper(room) + room[1] : 0;
}

static KEPT void overflow(void)
{
	volatile char here = 1;

	deeper(&here);
}

static void die_of_it(int signum)
{
	signal(signum, SIG_DFL);
	raise(signum);
}

/* By a handler that has had its say, as MPI libraries have them. */
static KEPT void handled(void)
{
	signal(SIGSEGV, die_of_it);
	store();
}

static void jump_back(int signum)
{
	siglongjmp(back, signum);
}

/* One that it survives, then one that it does not. */
static KEPT void survived(void)
{
	struct sigaction once = { .sa_handler = jump_back,
				  .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGSEGV, &once, NULL);
	if (!sigsetjmp(back, 1))
		store();
	store();
}

static void *store_in_thread(void *unused)
{
	store();
	return unused;
}

static KEPT void thread(void)
{
	pthread_t other;

	pthread_create(&other, NULL, store_in_thread, NULL);
	pthread_join(other, NULL);
}

static KEPT void killed(void)
{
	kill(getpid(), SIGBUS);
	for (;;)
		known_work();
}

/* For a signal of another process. */
static KEPT void waits(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		known_work();
}

/* The signal waits until it is let through. */
static KEPT void blocked(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGABRT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGABRT);
	known_work();
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static const struct kind {
	const char *name;
	void (*dies)(void);
	int of;
} kinds[] = {
	{ "store", store, SIGSEGV },       { "call", call, SIGSEGV },
	{ "divide", divide, SIGFPE },      { "illegal", illegal, SIGILL },
	{ "abort", give_up, SIGABRT },     { "assert", claim, SIGABRT },
	{ "copy", copy, SIGSEGV },         { "map", map, SIGBUS },
	{ "overflow", overflow, SIGSEGV }, { "handled", handled, SIGSEGV },
	{ "survived", survived, SIGSEGV }, { "thread", thread, SIGSEGV },
	{ "killed", killed, SIGBUS },      { "blocked", blocked, SIGABRT },
};

enum {
	KINDS = sizeof(kinds) / sizeof(*kinds)
};

static bool dies_as_it_should(const struct kind *kind, bool virtually)
{
	int status = 0;
	pid_t pid = virtually ? vfork() : fork();

	if (!pid) {
		if (virtually)
			kill(getpid(), kind->of);
		close(STDERR_FILENO); /* it has its say there */
		kind->dies();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status) && WTERMSIG(status) == kind->of)
		return true;
	printf("%s%s: status 0x%x\n", kind->name, virtually ? ", vfork" : "",
	       (unsigned int)status);
	return false;
}

static int all_of_them(double seconds)
{
	double until = elapsed_seconds() + seconds;
	bool good = true;

	do
		for (int i = 0; i < KINDS; i++)
			good &= dies_as_it_should(&kinds[i], false) &&
				dies_as_it_should(&kinds[i], true);
	while (good && elapsed_seconds() < until);
	puts(good ? "as they should" : "not as they should");
	return !good;
}

static const char *who(void (*handler)(int))
{
	if (handler == SIG_DFL)
		return "default";
	if (handler == SIG_IGN)
		return "ignore";
	return handler == die_of_it ? "own" : "another's";
}

static void print_action(int signum, const char *when)
{
	unsigned long raw[4] = { 0 };
	struct sigaction now;

	sigaction(signum, NULL, &now);
	syscall(SYS_rt_sigaction, signum, NULL, raw, 8);
	printf("%d %s: %s %#x %d, raw %s\n", signum, when, who(now.sa_handler),
	       (unsigned int)now.sa_flags & ~0x04000000u,
	       sigismember(&now.sa_mask, SIGUSR1), who((void *)raw[0]));
}

/* They are deprecated, some of them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void doors_of(int signum)
{
	struct sigaction action = { .sa_handler = SIG_DFL,
				    .sa_flags = SA_RESTART },
			 old;
	unsigned long raw[4] = { 0 };

	print_action(signum, "at first");
	printf("signal: %s", who(signal(signum, die_of_it)));
	printf(" %s", who(signal(signum, SIG_DFL)));
	printf(" %s\n", who(signal(signum, SIG_DFL)));
	print_action(signum, "then");
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(signum, &action, &old);
	printf("sigaction: %s\n", who(old.sa_handler));
	print_action(signum, "then");
	printf("sigset: %s", who(sigset(signum, SIG_IGN)));
	printf(" %s", who(sigset(signum, SIG_DFL)));
	printf(" %s\n", who(sigset(signum, SIG_DFL)));
	printf("sysv_signal: %s", who(sysv_signal(signum, die_of_it)));
	printf(" %s\n", who(sysv_signal(signum, SIG_DFL)));
	syscall(SYS_rt_sigaction, signum, raw, raw, 8);
	printf("raw: %s\n", who((void *)raw[0]));
	sigaction(signum, &old, &action);
	printf("sigaction: %s\n", who(action.sa_handler));
	print_action(signum, "at last");
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGSEGV, SIGBUS,  SIGFPE,
				       SIGILL,  SIGABRT, SIGTERM };
	const char *name = argc > 1 ? argv[1] : "";

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	work_for(0.2);
	if (!strcmp(name, "doors"))
		for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
			doors_of(signals[i]);
	if (!strcmp(name, "waits"))
		waits();
	if (!strcmp(name, "all"))
		return all_of_them(argc > 2 ? atof(argv[2]) : 0);
	for (int i = 0; i < KINDS; i++)
		if (!strcmp(name, kinds[i].name))
			kinds[i].dies();
	return 0;
}
