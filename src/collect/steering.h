/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steering.h - follows what the user asks of a run that goes on (copse
 * control).
 *
 * A rank of MPI looks after each collective call that all of MPI_COMM_WORLD
 * make, measured or not, and turns over at a call of that number: all at the
 * same one, without a word between them.  Another process looks when its clock
 * ticks; while nothing is measured that is after each tenth of a second that a
 * thread computes.
 *
 * Threads   Any.
 * Signals   Functions marked SIGSAFE may run in a handler.
 */
#pragma once

#include <stdbool.h>

#include "base/sigsafe.h"

/* The tally is mapped: a process that begins late begins as was asked for. */
void steering_begin(void);

/* By the clock's handler; true: the process has turned over just now. */
SIGSAFE bool steering_look(void);
