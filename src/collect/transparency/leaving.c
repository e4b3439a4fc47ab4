/* SPDX-License-Identifier: BSD-3-Clause */
/* leaving.c - stands in front of the functions that end a process at once. */
#include "collect/transparency/leaving.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sys.h"

#define PUBLIC __attribute__((visibility("default")))

/* Mutable: found once, before main(). */
static struct {
	void (*_exit)(int);
	void (*abort)(void);
	void (*__assert_fail)(const char *, const char *, unsigned int,
			      const char *);
} next;

/* Mutable: of an adapter; atomic. */
static void (*last_call)(void);

void leaving_init(void)
{
#define FIND(name) next.name = (__typeof__(next.name))dlsym(RTLD_NEXT, #name)
	if (next._exit)
		return;
	FIND(abort);
	FIND(__assert_fail);
	FIND(_exit);
#undef FIND
}

PUBLIC void copse_leaving(void (*last)(void))
{
	__atomic_store_n(&last_call, last, __ATOMIC_RELEASE);
}

static void leave_process(void)
{
	void (*last)(void) = __atomic_load_n(&last_call, __ATOMIC_ACQUIRE);

	leaving_init();
	if (last)
		last();
}

PUBLIC void _exit(int status)
{
	leave_process();
	next._exit(status);
	__builtin_unreachable();
}

PUBLIC void _Exit(int status)
{
	_exit(status);
}

PUBLIC void abort(void)
{
	leave_process();
	next.abort();
	__builtin_unreachable();
}

PUBLIC void __assert_fail(const char *assertion, const char *file,
			  unsigned int line, const char *function)
{
	leave_process();
	next.__assert_fail(assertion, file, line, function);
	__builtin_unreachable();
}
