/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timebase.h - identifies this host's CLOCK_MONOTONIC and relates it to the
 * time of day, so that times of several processes and hosts can be compared.
 *
 * Signals   All may be called in a handler.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "base/sigsafe.h"

struct timebase { /* CLOCK_REALTIME and CLOCK_MONOTONIC at one moment */
	uint64_t real_ns, mono_ns;
};

/* The time in ns, also below libfaketime, which changes the time that programs
   see; 0: not known. */
SIGSAFE uint64_t timebase_clock(clockid_t clock);

/* Read both clocks; a few tries make the time between the reads short. */
SIGSAFE void timebase_now(struct timebase *to);

/*
 * A number that all processes that share CLOCK_MONOTONIC have in common, made
 * from the kernel's boot id and the time namespace.  0: not known (no /proc).
 */
SIGSAFE uint64_t timebase_id(void);
