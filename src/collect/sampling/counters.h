/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.h - events that the kernel counts for each thread, on the nodes of
 * its tree (doc/decisions/events.md).
 *
 * An event with a period makes a timer signal each time that many have come;
 * one without is read when something else is: at a sample of the clock, and
 * when an MPI call is entered and left.
 *
 * Threads     Each call concerns the calling thread, whose record it is, unless
 *             something else is said.
 * Signals     The caller has set `busy`, or is the handler.
 * Failure     Nothing fails visibly: an event that cannot be opened or read
 *             is a counted loss, and what it counted since is not known.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "base/sigsafe.h"
#include "live/layout.h"

struct thread;
struct counters; /* of one thread */

/* Open and close the calling thread's; what was counted last is the root's. */
void counters_start(struct thread *t);
void counters_stop(struct thread *t);

/* Whether a signal is a timer signal of an event. */
SIGSAFE bool counters_timer_signal(const siginfo_t *info);

/*
 * Around a handler: what was counted until it began is read, and put on a node;
 * at its end, what it counted itself is left out.
 */
SIGSAFE void counters_read(struct thread *t);
/* An event has come full periods whose own timer signal was lost. */
SIGSAFE bool counters_due(const struct thread *t);
SIGSAFE void counters_put(struct thread *t, live_ref node);
SIGSAFE void counters_leave_out(struct thread *t);

/* What was counted before an MPI call is its caller's, then its own. */
void counters_enter(struct thread *t);
void counters_leave(struct thread *t, live_ref node);
