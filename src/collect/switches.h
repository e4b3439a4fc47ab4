/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.h - what the clock costs a thread that switches often, and the
 * other clock that it gets for that (doc/decisions/context-switches.md).
 *
 * Threads   Of its own thread.
 * Signals   All may run in a handler.
 */
#ifndef COLLECT_SWITCHES_H
#define COLLECT_SWITCHES_H

#include "base/sigsafe.h"

struct thread;

/*
 * From time to time: an event that costs a thread more than samples leave of
 * the budget gives way to a timer, and comes back when it would cost less than
 * half of it.
 */
SIGSAFE void switches_look(struct thread *t);

#endif
