/* SPDX-License-Identifier: BSD-3-Clause */
/* tiny-stack.h - stack limits too small for the loader to load our libraries.
 */
#ifndef BASE_TINY_STACK_H
#define BASE_TINY_STACK_H

#include <stdbool.h>
#include <sys/resource.h>

/* To load one library it needs 16 KiB, and room for the environment. */
#define TINY_STACK (64 << 10)

/* Whether a program that this process executes has such a stack. */
static inline bool stack_is_tiny(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < TINY_STACK;
}

#endif
