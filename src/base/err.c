/* SPDX-License-Identifier: BSD-3-Clause */
/* err.c - the last failure of each thread. */
#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"

/* Mutable: the contract of err.h, one sentence per thread. */
static __thread char reason[512] = "no reason given";

int fail(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	return err;
}

const char *fail_reason(void)
{
	return reason;
}
