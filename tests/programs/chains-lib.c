/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chains-lib.c - FUNCTION() of a shared library: it calls a function of its own
 * that no symbol names, INNER, which calls back.
 */
#include "chains.h"

void FUNCTION(void (*then)(const char *), const char *chain);

#define TEXT(name) #name
#define NAME(name) TEXT(name)

__attribute__((noinline)) static void t_inner(void (*then)(const char *),
					      const char *chain)
{
	enter(NAME(INNER));
	work();
	then(chain);
	leave();
}

void FUNCTION(void (*then)(const char *), const char *chain)
{
	enter(NAME(FUNCTION));
	t_inner(then, chain);
	work();
	leave();
}
