/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * enlist.h - this process's part in the tally of its `copse run`
 * (live/tally.h), which counts short processes, and how long the first period
 * of one is to be.
 *
 * Threads   Any.
 * Signals   Functions marked SIGSAFE may run in a handler.
 * Failure   Without a tally nothing is counted.
 */
#pragma once

#include <stdint.h>

#include "base/sigsafe.h"
#include "live/tally.h"

/* This process begins to be measured. */
void enlist_begin(const char *directory);
/* So does this child of one. */
void enlist_forked(void);
/* Its clock runs: what it took until now is not measured.  The collector
   began at that CPU time of the process. */
void enlist_started(uint64_t begun_ns);
/* It is not to be measured. */
void enlist_left_out(const char *directory);
/* It may execute another program now, which may not be measured. */
void enlist_exec(void);
void enlist_unfit(enum live_unfit why);
/* It is not measured itself. */
void enlist_unfit_self(const char *directory, enum live_unfit why);

/* What the user asks of it; NULL: nobody can. */
struct live_request *enlist_request(void);

/* It has a profile, or can have none. */
SIGSAFE void enlist_profile(void);
SIGSAFE void enlist_failed(void);

/*
 * Of how many periods the first one of a new process is a random part: the
 * more profiles there are, the more.  0: it is a whole one.  No other can
 * stand for the program itself, and what it used is known.
 */
uint64_t enlist_odds(uint64_t period_ns);
