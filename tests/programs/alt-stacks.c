/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alt-stacks.c - what a program sees of its alternate signal stack and of
 * where its handlers run: by sigaltstack() and syscall(), in handlers with and
 * without SA_ONSTACK, with an alternate stack and without, in handlers that are
 * set by each function, nested, that jump out, or that stay (coroutines made
 * by a handler, as of Pth and QEMU).  In the first thread and in another one.
 *
 * It prints the same whether it is measured or not.
 */
#define _GNU_SOURCE
#define _FORTIFY_SOURCE 2 /* a jump's target is checked */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "known.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum {
	SIZE = 64 << 10,
	AREAS = 2, /* the second one lies above the thread's stack */
	ROUNDS = 20
};

static char *areas[AREAS];
static uintptr_t stack_low, stack_high;
static volatile int depth;

/* Of which of the stacks a place is. */
static const char *name_of(const void *place)
{
	for (int i = 0; i < AREAS; i++)
		if ((uintptr_t)place - (uintptr_t)areas[i] < SIZE)
			return i ? "second" : "first";
	return (uintptr_t)place - stack_low < stack_high - stack_low
		       ? "own"
		       : "unknown";
}

static void show(const char *what, const stack_t *stack)
{
	printf("%s: %s, size %zu, flags %x\n", what,
	       stack->ss_size ? name_of(stack->ss_sp) : "none", stack->ss_size,
	       (unsigned)stack->ss_flags);
}

static void work(void)
{
	double until = cpu_seconds() + 0.002;

	while (cpu_seconds() < until)
		known_sink++;
}

static void on_signal(int signum, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	stack_t now, none = { .ss_flags = SS_DISABLE };
	double x = known_sink;

	sigaltstack(NULL, &now);
	printf("  handler of %d on the %s stack, its information on %s, "
	       "context "
	       "on %s, registers on %s, code %d\n",
	       signum, name_of(&now), name_of(info), name_of(context),
	       name_of(c->uc_mcontext.fpregs), info->si_code);
	show("  in it", &now);
	errno = 0;
	if (now.ss_flags == SS_ONSTACK) {
		printf("  disabled: %d", sigaltstack(&none, NULL));
		printf(" %d\n", errno);
	}
	work();
	if (depth > 0) {
		depth--;
		raise(signum);
	}
	if (x > known_sink)
		puts("registers are lost");
}

static void handle(int signum, int flags)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | flags },
			 old;

	sigaction(signum, &action, NULL);
	sigaction(signum, NULL, &old);
	printf("handler of %d: %s, on the alternate stack %d\n", signum,
	       old.sa_sigaction == on_signal ? "kept" : "another",
	       !!(old.sa_flags & SA_ONSTACK));
}

static void set(int area, size_t size, int flags)
{
	stack_t stack = { .ss_sp = areas[area],
			  .ss_size = size,
			  .ss_flags = flags };
	stack_t old = { 0 }, raw = { 0 };
	int err;

	errno = 0;
	err = sigaltstack(&stack, &old);
	printf("set: %d %d\n", err, errno);
	if (!err)
		show("before", &old);
	syscall(SYS_sigaltstack, NULL, &raw);
	show("now", &raw);
}

static void errors(void)
{
	errno = 0;
	printf("from nowhere: %d", sigaltstack((void *)8, NULL));
	printf(" %d\n", errno);
	printf("to nowhere: %d", sigaltstack(NULL, (void *)8));
	printf(" %d\n", errno);
	set(0, 100, 0);
	set(0, SIZE, 77);
}

static void signals(void)
{
	static const int all[] = { SIGUSR1, SIGUSR2, SIGTRAP };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		handle(all[i], SA_ONSTACK | SA_NODEFER);
		depth = 1;
		raise(all[i]);
		handle(all[i], 0);
		raise(all[i]);
		handle(all[i], SA_ONSTACK | SA_RESETHAND);
		raise(all[i]);
		printf("reset: %d\n", signal(all[i], SIG_DFL) == SIG_DFL);
	}
}

static sigjmp_buf back;

static void jump(int signum)
{
	work();
	siglongjmp(back, signum);
}

/* Set by the older functions, which say the handler that was. */
static void jumps(void)
{
	struct sigaction action = { .sa_handler = jump,
				    .sa_flags = SA_ONSTACK };
	volatile int count = 0;

	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < ROUNDS; i++)
		if (sigsetjmp(back, 1))
			count++;
		else
			raise(SIGUSR1);
	printf("jumped %d, handler %d", count,
	       signal(SIGUSR1, SIG_IGN) == jump);
	sigaction(SIGUSR1, &action, NULL);
	printf(" %d", sigset(SIGUSR1, SIG_IGN) == jump);
	sigaction(SIGUSR1, &action, NULL);
	siginterrupt(SIGUSR1, 1);
	printf(" %d\n", sigset(SIGUSR1, SIG_IGN) == jump);
}

/* Not checked: from one stack to another. */
extern void jump_over(struct __jmp_buf_tag *, int) __asm__("_longjmp")
	__attribute__((noreturn));

/* A coroutine begins in a handler on its own stack, and is gone back to. */
static sigjmp_buf inside, outside;
static volatile int turns;

static void become(int signum)
{
	if (!sigsetjmp(inside, 0))
		return;
	for (;;) {
		turns += signum == SIGUSR2 && *name_of((void *)&signum) == 'f';
		work();
		if (!_setjmp(inside))
			jump_over(outside, 1);
	}
}

static void coroutine(void)
{
	struct sigaction action = { .sa_handler = become,
				    .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = areas[0], .ss_size = SIZE };
	const stack_t none = { .ss_flags = SS_DISABLE };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	sigaltstack(&none, NULL);
	for (volatile int i = 0; i < ROUNDS; i++)
		if (!_setjmp(outside))
			jump_over(inside, 1);
	printf("coroutine: %d turns\n", turns);
}

static void find_stack(void)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	stack_low = (uintptr_t)low;
	stack_high = stack_low + size;
}

static void *all_of_it(void *name)
{
	stack_t stack;

	find_stack();
	printf("%s\n", (const char *)name);
	sigaltstack(NULL, &stack);
	show("at first", &stack);
	signals();
	set(0, SIZE, 0);
	errors();
	signals();
	jumps();
	set(1, SIZE, SS_ONSTACK);
	signals();
	jumps();
	set(1, 0, SS_DISABLE);
	turns = 0;
	coroutine();
	return NULL;
}

int main(void)
{
	char above[SIZE];
	pthread_t thread;

	areas[0] = malloc(SIZE);
	areas[1] = above;
	all_of_it("the first thread");
	fflush(stdout);
	areas[1] = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&thread, NULL, all_of_it, "another thread");
	pthread_join(thread, NULL);
	return 0;
}
