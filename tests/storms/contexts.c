/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * contexts.c - stacks that change under the sampler: coroutines on memory that
 * comes and goes, jumps out of deep calls, handlers on an alternate stack that
 * jump out of it.
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "storm.h"

enum {
	STACK = 64 << 10,
	TURNS = 20
};

static ucontext_t home, other;
static volatile int turns;

static KEPT int deep(int n)
{
	volatile char room[64];

	memset((char *)room, n, sizeof(room));
	return n ? deep(n - 1) + room[n % 64] : room[0];
}

static KEPT void coroutine(void)
{
	for (;;) {
		known_sink += deep(30);
		turns++;
		swapcontext(&other, &home);
	}
}

/* The stack goes away while the coroutine is still in the middle. */
static void coroutines(void)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED || getcontext(&other))
		storm_broken("mmap");
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = STACK;
	makecontext(&other, coroutine, 0);
	turns = 0;
	for (int i = 0; i < TURNS; i++)
		swapcontext(&home, &other);
	if (turns != TURNS || munmap(stack, STACK))
		storm_broken("a coroutine");
}

static jmp_buf back;
static sigjmp_buf out;

static KEPT void jump(int n)
{
	if (deep(10) && !n)
		longjmp(back, 1);
	jump(n - 1);
	known_sink += n;
}

static KEPT void on_signal(int signum)
{
	known_sink += deep(20);
	siglongjmp(out, signum);
}

static void jumps(void)
{
	if (!setjmp(back)) {
		jump(20);
		storm_broken("longjmp");
	}
	if (!sigsetjmp(out, 1)) {
		raise(SIGUSR1);
		storm_broken("raise");
	}
}

/* The alternate stack is another one each time. */
static void change_alternate(void)
{
	static char rooms[2][STACK];
	static int which;
	stack_t stack = { .ss_size = STACK };

	which = !which;
	stack.ss_sp = rooms[which];
	if (sigaltstack(&stack, NULL))
		storm_broken("sigaltstack");
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };

	storm_begins(argc, argv);
	sigaction(SIGUSR1, &action, NULL);
	while (storm_lasts()) {
		change_alternate();
		coroutines();
		jumps();
	}
	puts("through");
	return 0;
}
