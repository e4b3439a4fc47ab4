/* SPDX-License-Identifier: BSD-3-Clause */
/* heap-floor.c - to be preloaded: passes malloc and free on, and nothing else.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

static void *(*next_malloc)(size_t) = __libc_malloc;
static void (*next_free)(void *) = __libc_free;

void *malloc(size_t size)
{
	return next_malloc(size);
}

void free(void *block)
{
	next_free(block);
}

static __attribute__((constructor)) void find_next(void)
{
	next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
}
