/* SPDX-License-Identifier: BSD-3-Clause */
/* tiny-stack.h - where the loader has no room to load our libraries. */
#ifndef BASE_TINY_STACK_H
#define BASE_TINY_STACK_H

#include <stdbool.h>
#include <sys/resource.h>

/* It needs 16 KiB and what the environment takes to load one library. */
#define TINY_STACK (64 << 10)

/* Of what the calling process executes next. */
static inline bool stack_is_tiny(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < TINY_STACK;
}

#endif
