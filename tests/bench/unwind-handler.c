/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unwind-handler.c - what libunwind takes for the call path alone: copse's
 * clock, and unw_backtrace() in the handler.  Not safe there; it is a measure.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "handler.h"

static void handle(const ucontext_t *context)
{
	static __thread void *path[256];

	(void)context;
	unw_backtrace(path, 256);
}
