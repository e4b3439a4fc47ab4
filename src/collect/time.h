/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * time.h - clocks in nanoseconds; may be read in a handler.
 *
 * They are the C library's own, whatever stands in front of it: what another
 * library does in its clock_gettime() need not be allowed in a handler, and
 * tells another time (libfaketime).
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "base/sigsafe.h"
#include "base/sys.h"

/* Mutable: found once, before main(); until then a system call. */
extern int (*time_read)(clockid_t clock, struct timespec *to);
void time_init(void);

static inline __attribute__((always_inline)) uint64_t time_now(clockid_t clock)
{
	struct timespec t;

	time_read(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The kernel's answer, where each page of the C library's is a fault first: in
   a forked child. */
static inline __attribute__((always_inline)) uint64_t
time_asked(clockid_t clock)
{
	struct timespec t;

	sys2(SYS_clock_gettime, clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CPU time of any thread of the process, as pthread_getcpuclockid() names its
   clock: exact while it waits.  0: there is none. */
static inline uint64_t time_thread_cpu(uint32_t tid)
{
	const clockid_t clock = (clockid_t)(~tid << 3 | 6);
	struct timespec t = { 0, 0 };

	sys2(SYS_clock_gettime, clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
