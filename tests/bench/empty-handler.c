/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * empty-handler.c - the floor: a preload with copse's first choice of clock
 * and a handler that does nothing.  What copse costs more is its own.
 */
#include "handler.h"

static void handle(const ucontext_t *context)
{
	(void)context;
}
