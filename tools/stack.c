/* SPDX-License-Identifier: BSD-3-Clause */
/* stack.c - a second stack where the limit on the first is low. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "base/err.h"
#include "tools/tools.h"

enum {
	ENOUGH = 2 << 20, /* bytes: below, deep names and trees overflow it */
	OWN = 8 << 20
};

struct call {
	int (*body)(int argc, char **argv);
	int argc, result;
	char **argv;
};

/* Mutable: makecontext() passes nothing but int. */
static struct call *calling;

static void call_below(void)
{
	calling->result = calling->body(calling->argc, calling->argv);
}

static bool is_small(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < ENOUGH;
}

/* The C library made the default of the limit. */
static void enlarge_threads(void)
{
	pthread_attr_t attributes;

	if (pthread_attr_init(&attributes))
		return;
	if (!pthread_attr_setstacksize(&attributes, OWN))
		pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

int stack_run(int (*body)(int argc, char **argv), int argc, char **argv)
{
	struct call one = { body, argc, -ENOMEM, argv };
	ucontext_t here, there;
	void *stack;

	if (!is_small())
		return body(argc, argv);
	stack = mmap(NULL, OWN, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stack == MAP_FAILED || getcontext(&there))
		return fail(-errno, "no memory for a stack: %s",
			    strerror(errno));
	enlarge_threads();
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = OWN;
	there.uc_link = &here;
	makecontext(&there, call_below, 0);
	calling = &one;
	if (swapcontext(&here, &there))
		return fail(-errno, "no other stack: %s", strerror(errno));
	munmap(stack, OWN);
	return one.result;
}
