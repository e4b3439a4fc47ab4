/* SPDX-License-Identifier: BSD-3-Clause */
/* err.c - the last failure of each thread. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

/* Mutable: the contract of err.h, one sentence per thread. */
static __thread char reason[512] = "no reason given";

/* Mutable: the same, of the process.  NULL: nothing that takes much memory. */
static const char *step;

void fail_step(const char *what)
{
	__atomic_store_n(&step, what, __ATOMIC_RELAXED);
}

int fail(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	str_one_line(reason);
	return err;
}

int no_memory(void)
{
	const char *now = __atomic_load_n(&step, __ATOMIC_RELAXED);

	return fail(-ENOMEM, "out of memory%s%s", now ? " while " : "",
		    now ? now : "");
}

const char *fail_reason(void)
{
	return reason;
}
