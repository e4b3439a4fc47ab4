/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * next.h - the definition of an interposed function that the program would call
 * without us: NEXT(execve)(path, argv, env).
 *
 * Each use has an entry in a section of the library.  next_init() finds all of
 * them before main(), because dlsym() takes locks: the interposers are also
 * called in children of vfork(), in handlers and in sandboxes.  A use before
 * that finds its own.
 */
#pragma once

#include <errno.h>

#include "base/hidden.h"

struct next {
	const char *name;
	void *function; /* NULL: not found, or not yet */
};

/*
 * NULL where the C library has none.  A program may call such a function by a
 * weak reference, which finds ours: then it is next_result() of the system
 * call.
 */
#define NEXT(name_)                                                            \
	({                                                                     \
		static struct next next_                                       \
			__attribute__((section("copse_next"))) = { #name_,     \
								   0 };        \
		(__typeof__(&(name_)))(next_.function ? next_.function         \
						      : next_find(&next_));    \
	})

void *next_find(struct next *next);

/* What a C library's function makes of what the kernel returned. */
static inline int next_result(long result)
{
	if (result >= 0)
		return (int)result;
	errno = (int)-result;
	return -1;
}
void next_init(void);
