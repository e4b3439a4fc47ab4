/* SPDX-License-Identifier: BSD-3-Clause */
/* leaving.c - stands in front of the functions that end a process at once. */
#include "collect/transparency/leaving.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/transparency/next.h"

/* Mutable: of an adapter; atomic. */
static void (*last_call)(void);

PUBLIC void copse_leaving(void (*last)(void))
{
	__atomic_store_n(&last_call, last, __ATOMIC_RELEASE);
}

AT_FORK static void leave_process(void)
{
	void (*last)(void) = __atomic_load_n(&last_call, __ATOMIC_ACQUIRE);

	if (last)
		last();
}

PUBLIC AT_FORK void _exit(int status)
{
	leave_process();
	NEXT(_exit)(status);
	__builtin_unreachable();
}

PUBLIC void _Exit(int status)
{
	_exit(status);
}

PUBLIC void abort(void)
{
	leave_process();
	NEXT(abort)();
	__builtin_unreachable();
}

PUBLIC void __assert_fail(const char *assertion, const char *file,
			  unsigned int line, const char *function)
{
	leave_process();
	NEXT(__assert_fail)(assertion, file, line, function);
	__builtin_unreachable();
}
