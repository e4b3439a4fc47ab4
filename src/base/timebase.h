/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timebase.h - which clock CLOCK_MONOTONIC is here, and how it stands to the
 * time of day: so times of several processes and hosts can be compared.
 *
 * Signals   All may be asked in a handler.
 */
#ifndef BASE_TIMEBASE_H
#define BASE_TIMEBASE_H

#include <stdint.h>
#include <time.h>

#include "base/sigsafe.h"

struct timebase { /* CLOCK_REALTIME and CLOCK_MONOTONIC at one moment */
	uint64_t real_ns, mono_ns;
};

/* In ns, past what tells programs another time (libfaketime); 0: unknown. */
SIGSAFE uint64_t timebase_clock(clockid_t clock);

/* Read both so that nothing comes in between, as far as a few tries go. */
SIGSAFE void timebase_now(struct timebase *to);

/*
 * The same number in all processes that share CLOCK_MONOTONIC: made from the
 * kernel's boot and the time namespace.  0: not known (no /proc).
 */
SIGSAFE uint64_t timebase_id(void);

#endif
