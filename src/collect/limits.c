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
#include "collect/interpose.h"
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

/* A child of vfork() has its parent's memory, but limits of its own. */
static bool is_measured(void)
{
	const struct thread *t = thread_self();

	return t && t->tid == (uint32_t)sys0(SYS_gettid);
}

static long lock_all(const void *flags)
{
	return next.mlockall(*(const int *)flags);
}

/* It fills all memory that can be read. */
PUBLIC int mlockall(int flags)
{
	limits_init();
	if (!is_measured())
		return next.mlockall(flags);
	return (int)registry_hidden(lock_all, &flags);
}

void limits_follow(long resource)
{
	if (resource == RLIMIT_AS && is_measured())
		registry_fit();
}

PUBLIC int limits_set(which resource, const struct rlimit *limit)
{
	int result;

	limits_init();
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
