/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.h - what the clock costs a thread that switches often, and the
 * other clock that it gets for that (doc/decisions/context-switches.md).
 *
 * Threads   Of its own thread.
 * Signals   All may run in a handler.
 */
#pragma once

#include <stdint.h>

#include "base/sigsafe.h"

struct thread;

struct switches {        /* of a thread */
	uint64_t count;  /* of the thread, by the kernel, at the last count */
	uint64_t cpu_ns; /* that samples stood for at the last look */
	int64_t debt_ns; /* spent above what may be spent */
	uint64_t calm_ns, calm_enough_ns; /* CPU time without many of them */
	/* Of the record, which other threads had before. */
	uint64_t first_cpu_ns, first_switch_ns;
};

/*
 * From time to time: an event that costs a thread more than samples leave of
 * the budget gives way to a timer, and comes back when it would cost less than
 * half of it.
 */
SIGSAFE void switches_look(struct thread *t);
