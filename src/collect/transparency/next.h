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

#include "base/hidden.h"

struct next {
	const char *name;
	void *function; /* NULL: not found, or not yet */
};

/* NULL where the C library has none. */
#define NEXT(name_)                                                            \
	({                                                                     \
		static struct next next_                                       \
			__attribute__((section("copse_next"))) = { #name_,     \
								   0 };        \
		(__typeof__(&(name_)))(next_.function ? next_.function         \
						      : next_find(&next_));    \
	})

void *next_find(struct next *next);
void next_init(void);
