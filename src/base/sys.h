/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sys.h - system calls without the C library: for code that may run in a
 * signal handler, below libraries that replace open(), read() or close().
 *
 * Signals   All may run in a handler: no errno, no cancellation point.
 * Failure   A negative errno, as the kernel returns it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/sys-call.h"

#define SYS_ARG_(x)      ((long)(x))
#define sys0(n)          sys6(n, 0, 0, 0, 0, 0, 0)
#define sys1(n, a)       sys6(n, SYS_ARG_(a), 0, 0, 0, 0, 0)
#define sys2(n, a, b)    sys6(n, SYS_ARG_(a), SYS_ARG_(b), 0, 0, 0, 0)
#define sys3(n, a, b, c) sys6(n, SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), 0, 0, 0)
#define sys4(n, a, b, c, d)                                                    \
	sys6(n, SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), SYS_ARG_(d), 0, 0)
#define sys5(n, a, b, c, d, e)                                                 \
	sys6(n, SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), SYS_ARG_(d),            \
	     SYS_ARG_(e), 0)

/* Is that the kernel's word for a failure? */
SIGSAFE_INLINE bool sys_failed(long result)
{
	return result < 0 && result >= -4095;
}

/* Memory of our own, zeroed; NULL when there is none. */
SIGSAFE_INLINE void *sys_memory(uint64_t size)
{
	/* PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS */
	long at = sys6(SYS_mmap, 0, (long)size, 3, 0x22, -1, 0);

	return sys_failed(at) ? (void *)0 : (void *)at;
}

/* The calling thread's signal mask becomes this one: the one that was. */
SIGSAFE_INLINE uint64_t sys_mask(uint64_t mask)
{
	uint64_t old = mask;

	/* SIG_SETMASK */
	sys4(SYS_rt_sigprocmask, 2, &mask, &old, sizeof(mask));
	return old;
}

#define SYS_MASK_ALL (~(uint64_t)0)

SIGSAFE_INLINE uint32_t sys_length(const char *s, uint32_t most)
{
	uint32_t n = 0;

	while (n < most && ((const volatile char *)s)[n])
		n++;
	return n;
}
