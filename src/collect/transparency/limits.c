/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * limits.c - what the live profile has mapped and not used is given back to a
 * program that limits its own address space, and not locked with its memory;
 * what a program executes under tight limits has none of our libraries.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "collect/transparency/exec-env.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/next.h"

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

static long lock_all(const void *flags)
{
	return NEXT(mlockall)(*(const int *)flags);
}

/* It fills all memory that can be read. */
PUBLIC int mlockall(int flags)
{
	if (!thread_is_own())
		return NEXT(mlockall)(flags);
	return (int)registry_hidden(lock_all, &flags);
}

/* A profile that is not there yet has no room in small files. */
void limits_expect(long resource)
{
	if (resource == RLIMIT_FSIZE && thread_is_own())
		registry_await();
}

void limits_follow(long resource)
{
	if (!thread_is_own())
		return;
	if (resource == RLIMIT_AS)
		registry_fit();
	exec_env_follow_limits();
}

PUBLIC int limits_set(which resource, const struct rlimit *limit)
{
	int result;

	limits_expect(resource);
	result = NEXT(setrlimit)(resource, limit);
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

	if (limit)
		limits_expect(resource);
	result = NEXT(prlimit)(pid, resource, limit, old);
	if (!result && limit)
		limits_follow(resource);
	return result;
}

PUBLIC int limits_ask64(pid_t pid, which resource, const struct rlimit *limit,
			struct rlimit *old)
{
	return limits_ask(pid, resource, limit, old);
}
