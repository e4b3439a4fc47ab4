/* SPDX-License-Identifier: BSD-3-Clause */
/* timestamp-inline.h - rdtsc. */
#include <x86intrin.h>

#define TIMESTAMP_CLOCKSOURCE "tsc"

enum {
	TIMESTAMP_PER_US = 4096
};

SIGSAFE_INLINE uint64_t timestamp_read(void)
{
	return __rdtsc();
}
