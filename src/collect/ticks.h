/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ticks.h - CLOCK_MONOTONIC, read from the processor's time stamp counter
 * where that is what the kernel's clock is made of: 10 ns in place of 24
 * (a virtual machine).
 *
 * Each thread has its own: it is set by the kernel's clock every few ten
 * milliseconds, and runs between at the rate of the last such stretch.  A
 * setting may move it by less than a microsecond, back as well.
 *
 * Threads   A struct ticks belongs to one thread.
 */
#ifndef COLLECT_TICKS_H
#define COLLECT_TICKS_H

#include <stdint.h>
#include <x86intrin.h>

#define TICKS_TRUSTED ((uint64_t)1 << 27) /* some 50 ms */
#define TICKS_SHIFT   32

struct ticks {                /* all zero: not set yet */
	uint64_t counter, ns; /* at the same moment */
	uint64_t scale;       /* ns per tick << TICKS_SHIFT; 0: not known */
};

/* From now on: may the counter be used?  Reads a file of the kernel. */
void ticks_init(void);

/* The kernel's clock; sets the thread's by it. */
uint64_t ticks_set(struct ticks *ticks);

static inline uint64_t ticks_now(struct ticks *ticks)
{
	uint64_t since = __rdtsc() - ticks->counter;

	if (since < TICKS_TRUSTED && ticks->scale)
		return ticks->ns + (since * ticks->scale >> TICKS_SHIFT);
	return ticks_set(ticks);
}

#endif
