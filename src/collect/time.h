/* SPDX-License-Identifier: BSD-3-Clause */
/* time.h - clocks in nanoseconds; may be read in a handler. */
#ifndef COLLECT_TIME_H
#define COLLECT_TIME_H

#include <stdint.h>
#include <time.h>

#include "base/sigsafe.h"

static inline __attribute__((always_inline)) uint64_t time_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
