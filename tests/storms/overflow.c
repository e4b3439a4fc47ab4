/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overflow.c survive|die - recursion to the end of the stack, again and again.
 * One who survives has a handler on an alternate stack, in two threads; one
 * who dies goes nearly as far each time, and too far at last.
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "storm.h"

static __thread sigjmp_buf back;
static char *volatile lowest;

/* Down to an address; the compiler must not make a loop of it. */
static KEPT int deeper(const char *limit)
{
	volatile char room[400];

	memset((char *)room, 1, sizeof(room));
	if ((const char *)room < limit)
		return room[7];
	return deeper(limit) + room[8];
}

static void on_fault(int signum)
{
	siglongjmp(back, signum);
}

static void *survivor(void *unused)
{
	enum {
		ALTERNATE = 64 << 10
	};
	stack_t stack = { .ss_sp = malloc(ALTERNATE), .ss_size = ALTERNATE };

	if (!stack.ss_sp || sigaltstack(&stack, NULL))
		storm_broken("sigaltstack");
	while (storm_lasts())
		if (!sigsetjmp(back, 1)) {
			deeper(NULL);
			storm_broken("the end of the stack");
		}
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
	return unused;
}

static void survive(void)
{
	struct sigaction action = { .sa_handler = on_fault,
				    .sa_flags = SA_ONSTACK };
	void *(*const all[])(void *) = { survivor, survivor };

	sigaction(SIGSEGV, &action, NULL);
	storm_threads(all, STORM_COUNT(all));
}

/* All but 64 KiB of an ordinary stack, and at last all of it. */
static void die(void)
{
	struct rlimit limit;
	char here;

	getrlimit(RLIMIT_STACK, &limit);
	if (limit.rlim_cur > 8 << 20)
		limit.rlim_cur = 8 << 20;
	while (storm_lasts())
		deeper(&here - limit.rlim_cur + (64 << 10));
	puts("dying");
	fflush(stdout);
	deeper(NULL);
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0 };

	if (argc < 2)
		return 2;
	setrlimit(RLIMIT_CORE, &no_core);
	storm_begins(argc, argv);
	if (!strcmp(argv[1], "die"))
		die();
	survive();
	puts("through");
	return 0;
}
