/* SPDX-License-Identifier: BSD-3-Clause */
/* next.c - see next.h. */
#include "collect/transparency/next.h"

#include <dlfcn.h>
#include <string.h>

#include "arch/elf-names.h"
#include "collect/transparency/dlsym.h"

/* The section's bounds, which the linker defines. */
extern struct next first[] __asm__("__start_copse_next") HIDDEN;
extern struct next behind[] __asm__("__stop_copse_next") HIDDEN;

/* A shell would run what is no program by posix_spawn() of GLIBC_FIRST. */
void *next_find(struct next *next)
{
	void *found = dlsym(RTLD_NEXT, next->name), *newer = NULL;

	if (!strncmp(next->name, "posix_spawn", strlen("posix_spawn")))
		newer = dlvsym(RTLD_NEXT, next->name, GLIBC_SPAWN);
	return next->function = copse_dlsym_newer(found, newer);
}

void next_init(void)
{
	for (struct next *next = first; next < behind; next++)
		next_find(next);
}
