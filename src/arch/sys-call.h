/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sys-call.h - making a system call, and copying, without the C library.
 *
 * The numbers of <sys/syscall.h> differ.  Calls that some processors lack have
 * numbers below zero there.
 *
 * Signals   All may run in a handler: no errno, no cancellation point.
 */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

#include "base/sigsafe.h"

/* The kernel's result: a negative errno is a failure. */
SIGSAFE_INLINE long sys6(long number, long a, long b, long c, long d, long e,
			 long f);

SIGSAFE_INLINE void sys_copy(void *to, const void *from, uint64_t size);

struct request {
	long number, a, b, c, d, e, f;
};

/*
 * The same, as syscall() was asked for it; while it is made, restart.h's
 * restart_number() knows which one it is.
 */
long raw_syscall(const struct request *r);

#include "sys-call-inline.h"
