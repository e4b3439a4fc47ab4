/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * limits.c - what the live profile has mapped and not used is given back to a
 * program that limits its own address space, and not locked with its memory.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/sys.h"
#include "collect/transparency/interpose.h"
#include "collect/registry.h"
#include "collect/thread.h"

#define PUBLIC __attribute__((visibility("default")))

/* Of this C library rlim_t has 64 bits: the names are the same function. */
typedef __rlimit_resource_t which;
PUBLIC int limits_set(which resource,
		      const struct rlimit *limit) __asm__("setrlimit");
PUBLIC int limits_set64(which resource,
			const struct rlimit *limit) __asm__("setrlimit64");
PUBLIC int limits_ask(pid_t pid, which resource, const struct rlimit *limit,
		      struct rlimit *old) __asm__("prlimit");
PUBLIC int limits_ask64(pid_t pid, which resource, const struct rlimit *limit,
			struct rlimit *old) __asm__("prlimit64");

/* Mutable: found once, before main(). */
static struct {
	int (*setrlimit)(which, const struct rlimit *);
	int (*mlockall)(int);
	int (*prlimit)(pid_t, which, const struct rlimit *, struct rlimit *);
} next;

void limits_init(void)
{
#define FIND(name) next.name = (__typeof__(next.name))dlsym(RTLD_NEXT, #name)
	if (next.setrlimit)
		return;
	FIND(prlimit);
	FIND(mlockall);
	FIND(setrlimit);
#undef FIND
}

static long lock_all(const void *flags)
{
	return next.mlockall(*(const int *)flags);
}

/* It fills all memory that can be read. */
PUBLIC int mlockall(int flags)
{
	limits_init();
	if (!thread_is_own())
		return next.mlockall(flags);
	return (int)registry_hidden(lock_all, &flags);
}

/* A profile that is not there yet has no room in small files. */
void limits_expect(long resource)
{
	if (resource == RLIMIT_FSIZE && thread_is_own())
		registry_open();
}

void limits_follow(long resource)
{
	if (resource == RLIMIT_AS && thread_is_own())
		registry_fit();
}

PUBLIC int limits_set(which resource, const struct rlimit *limit)
{
	int result;

	limits_init();
	limits_expect(resource);
	result = next.setrlimit(resource, limit);
	if (!result)
		limits_follow(resource);
	return result;
}

PUBLIC int limits_set64(which resource, const struct rlimit *limit)
{
	return limits_set(resource, limit);
}

PUBLIC int limits_ask(pid_t pid, which resource, const struct rlimit *limit,
		      struct rlimit *old)
{
	int result;

	limits_init();
	if (limit)
		limits_expect(resource);
	result = next.prlimit(pid, resource, limit, old);
	if (!result && limit)
		limits_follow(resource);
	return result;
}

PUBLIC int limits_ask64(pid_t pid, which resource, const struct rlimit *limit,
			struct rlimit *old)
{
	return limits_ask(pid, resource, limit, old);
}
