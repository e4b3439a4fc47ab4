/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timestamp.h - the processor's time stamp counter, which a program can read
 * without a system call.
 *
 * TIMESTAMP_CLOCKSOURCE  what the kernel calls its clock that is made of it
 * TIMESTAMP_PER_US       how far it goes in a microsecond, at most about;
 *                        not a constant
 *
 * Signals                All may run in a handler.
 */
#pragma once

#include <stdint.h>

#include "base/sigsafe.h"

/* Earlier and later instructions may be executed before it or after it. */
SIGSAFE_INLINE uint64_t timestamp_read(void);

#include "timestamp-inline.h"
