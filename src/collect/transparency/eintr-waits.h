/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * eintr-waits.h - waits that the kernel begins again after a stop, but not
 * where a timer signal's handler runs: begun again here, unless a handler of
 * the program was the end of them.
 */
#ifndef COLLECT_TRANSPARENCY_EINTR_WAITS_H
#define COLLECT_TRANSPARENCY_EINTR_WAITS_H

#include <stdbool.h>
#include <ucontext.h>

#include "base/sigsafe.h"

struct request;

/*
 * In a timer signal's handler: no handler of the program has run in ours, nor
 * will.  A wait that nothing else has ended goes on.
 */
SIGSAFE void eintr_waits_mark(ucontext_t *context);

/* One of them by syscall(), with the kernel's result; false: it is none. */
bool eintr_waits_raw(const struct request *r, long *result);

#endif
