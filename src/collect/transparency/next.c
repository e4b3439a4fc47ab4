/* SPDX-License-Identifier: BSD-3-Clause */
/* next.c - see next.h. */
#include "collect/transparency/next.h"

#include <dlfcn.h>

/* The section's bounds, which the linker defines. */
extern struct next first[] __asm__("__start_copse_next") HIDDEN;
extern struct next behind[] __asm__("__stop_copse_next") HIDDEN;

void *next_find(struct next *next)
{
	return next->function = dlsym(RTLD_NEXT, next->name);
}

void next_init(void)
{
	for (struct next *next = first; next < behind; next++)
		next_find(next);
}
