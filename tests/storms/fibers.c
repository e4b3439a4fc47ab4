/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fibers.c - stacks with no room for a signal: fibers of 4 to 64 KiB by
 * ucontext, by hand-written switches and by boost.context where it is
 * installed, threads of the smallest size, and handlers on a small alternate
 * stack, each used to its end.  What lies below a stack has to stay as it is.
 */
#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "storm.h"

enum {
	BELOW = 20 << 10,     /* more than any frame of the kernel's */
	LEFT = 400,           /* of a stack, when it is used */
	THREAD_OWN = 6 << 10, /* of a thread's stack, the C library's */
	PATTERN = 0x5a,
	LARGEST = 64 << 10
};

static char *stack_end; /* the lowest byte that may be used */

/* Nothing is called. */
static KEPT void compute(void)
{
	double sum = 0;

	for (int i = 0; i < 300000; i++)
		sum = sum * 0.999 + i;
	known_sink += (int)sum;
}

static KEPT void use_stack(int left)
{
	char here;
	size_t room = (size_t)(&here - stack_end);

	if (room > (size_t)left) {
		volatile char *used = __builtin_alloca(room - (size_t)left);

		used[0] = 1;
		compute();
		used[1] = 1;
	} else {
		compute();
	}
}

static unsigned char *area_new(size_t size)
{
	unsigned char *area = malloc(BELOW + size);

	if (!area)
		storm_broken("malloc");
	memset(area, PATTERN, BELOW + size);
	stack_end = (char *)area + BELOW;
	return area;
}

static void area_free(unsigned char *area, const char *what)
{
	for (size_t i = 0; i < BELOW; i++)
		if (area[i] != PATTERN)
			storm_broken(what);
	free(area);
}

static ucontext_t home, other;

static KEPT void ucontext_main(void)
{
	use_stack(LEFT);
}

static void by_ucontext(size_t size)
{
	unsigned char *area = area_new(size);

	getcontext(&other);
	other.uc_stack.ss_sp = area + BELOW;
	other.uc_stack.ss_size = size;
	other.uc_link = &home;
	makecontext(&other, ucontext_main, 0);
	swapcontext(&home, &other);
	area_free(area, "below a context");
}

/* void switch_stack(void **from, void *to): as libraries of fibers do it. */
__asm__(".text\n"
	".type switch_stack, @function\n"
	"switch_stack:\n"
	"push %rbp\n"
	"push %rbx\n"
	"push %r12\n"
	"push %r13\n"
	"push %r14\n"
	"push %r15\n"
	"mov %rsp, (%rdi)\n"
	"mov %rsi, %rsp\n"
	"pop %r15\n"
	"pop %r14\n"
	"pop %r13\n"
	"pop %r12\n"
	"pop %rbx\n"
	"pop %rbp\n"
	"ret\n"
	".size switch_stack, . - switch_stack\n");
void switch_stack(void **from, void *to);

static void *home_sp, *other_sp;

static KEPT void switched_main(void)
{
	use_stack(LEFT);
	switch_stack(&other_sp, home_sp);
}

static void by_switch(size_t size)
{
	unsigned char *area = area_new(size);
	void **top = (void **)((uintptr_t)(area + BELOW + size) & -16);

	*--top = NULL;
	*--top = (void *)switched_main;
	top -= 6;
	memset(top, 0, 6 * sizeof(*top));
	switch_stack(&home_sp, top);
	area_free(area, "below a switched stack");
}

/* boost.context: a transfer, and its two functions. */
struct transfer {
	void *from, *data;
};

static void *(*make_fcontext)(void *top, size_t size,
			      void (*function)(struct transfer));
static struct transfer (*jump_fcontext)(void *to, void *data);

static KEPT void boost_main(struct transfer t)
{
	use_stack(LEFT);
	jump_fcontext(t.from, NULL);
}

static void by_boost(size_t size)
{
	unsigned char *area;

	if (!jump_fcontext)
		return;
	area = area_new(size);
	jump_fcontext(make_fcontext(area + BELOW + size, size, boost_main),
		      NULL);
	area_free(area, "below a fiber of boost's");
}

static void find_boost(void)
{
	void *boost = dlopen("libboost_context.so.1.74.0", RTLD_NOW);

	if (!boost)
		boost = dlopen("libboost_context.so.1.83.0", RTLD_NOW);
	if (!boost)
		return;
	*(void **)&make_fcontext = dlsym(boost, "make_fcontext");
	*(void **)&jump_fcontext = dlsym(boost, "jump_fcontext");
}

static sigjmp_buf back;
static volatile int handled;

static KEPT void on_signal(int signum)
{
	use_stack(LEFT);
	handled++;
	if (signum == SIGUSR2)
		siglongjmp(back, 1);
}

#ifndef _SC_MINSIGSTKSZ /* glibc before 2.34: nothing is large enough */
#define _SC_MINSIGSTKSZ (-1)
#endif

/* The kernel wants some for its frame, how much depends on the machine. */
static void by_handler(size_t size)
{
	static const stack_t none = { .ss_flags = SS_DISABLE };
	unsigned char *area = area_new(size);
	stack_t stack = { .ss_sp = area + BELOW, .ss_size = size };

	if (size < 2 * (size_t)sysconf(_SC_MINSIGSTKSZ))
		goto out;
	if (sigaltstack(&stack, NULL))
		storm_broken("sigaltstack");
	handled = 0;
	raise(SIGUSR1);
	if (!sigsetjmp(back, 1))
		raise(SIGUSR2);
	if (handled != 2 || sigaltstack(&none, NULL))
		storm_broken("a handler");
out:
	area_free(area, "below an alternate stack");
}

static KEPT void *small_main(void *size)
{
	stack_end = (char *)__builtin_frame_address(0) -
		    ((size_t)size - THREAD_OWN);
	use_stack(0);
	return NULL;
}

static void by_thread(size_t size)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int err;

	if (size < (size_t)PTHREAD_STACK_MIN)
		return;
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, size))
		storm_broken("pthread_attr_setstacksize");
	err = pthread_create(&thread, &attributes, small_main, (void *)size);
	pthread_attr_destroy(&attributes);
	if (err || pthread_join(thread, NULL))
		storm_broken("pthread_create");
}

static void (*const ways[])(size_t) = { by_ucontext, by_switch, by_boost,
					by_handler, by_thread };

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };

	storm_begins(argc, argv);
	find_boost();
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	do
		for (size_t size = 4 << 10; size <= LARGEST; size *= 2)
			for (int i = 0; i < STORM_COUNT(ways); i++)
				ways[i](size);
	while (storm_lasts());
	puts("through");
	return 0;
}
