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
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TICKS_TRUSTED ((uint64_t)1 << 27) /* some 50 ms */
#define TICKS_SHIFT   32

struct ticks {                /* all zero: not set yet */
	uint64_t counter, ns; /* at the same moment */
	uint64_t scale;       /* ns per tick << TICKS_SHIFT; 0: not known */
	bool is_clock;        /* else it only tells what something cost */
};

/* From now on: may the counter be a clock?  Reads a file of the kernel. */
void ticks_init(void);

/* Sets the thread's clock by the kernel's. */
void ticks_set(struct ticks *ticks);

/* Nanoseconds that so many ticks took. */
static inline uint64_t ticks_took(const struct ticks *ticks, uint64_t count)
{
	return (uint64_t)((unsigned __int128)count * ticks->scale >>
			  TICKS_SHIFT);
}

/* CLOCK_MONOTONIC when the counter was so, before or after it was set. */
static inline uint64_t ticks_at(const struct ticks *ticks, uint64_t counter)
{
	if (__builtin_expect(counter < ticks->counter, 0))
		return ticks->ns - ticks_took(ticks, ticks->counter - counter);
	return ticks->ns + ticks_took(ticks, counter - ticks->counter);
}
