/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.h - what of this process is measured: nothing when --include or
 * --exclude leave it out, otherwise all but its pauses.
 *
 * Each for itself holds measuring up: pauses of the program, which nest;
 * MPI_Pcontrol(0), which is a state; --from-start=off, until the program ends
 * all its pauses, or says MPI_Pcontrol(1), or the user says so; the user
 * (steering.h); and what is outside of --iterations.  cudaProfilerStop() is
 * such a state as well, with --from-start=off: many programs call it that
 * nobody asked to.
 *
 * Threads   Any; what one thread holds up is held up for the process.
 * Signals   Only what is marked; the others take a lock.
 * Fork      A child goes on as its parent was.
 */
#pragma once

#include <stdbool.h>

#include "base/settings.h"
#include "base/sigsafe.h"
#include "live/layout.h"
#include "live/tally.h"

/* True when this process is one to measure. */
bool control_wants(const struct settings *s);

/* Once, before the first thread is measured. */
void control_init(const struct settings *s);

void control_pause(void);
void control_resume(void);
void control_mpi(bool on);

/* The same by a tool's word, where the user waits for such. */
void control_profiler(bool on);

/*
 * As the user asks; rate: samples per second, 0: as it was; calls: that a rank
 * of MPI has made, else 0.  In a handler: false if somebody else changes it
 * just now.
 */
SIGSAFE bool control_steer(enum live_measuring how, uint64_t rate,
			   uint64_t calls, bool handler);

/* What the user asks is looked for at calls, from now on: no clock ticks. */
void control_by_calls(void);

/* The window of --iterations begins, or is over, with that mark or call. */
void control_window(bool inside, enum live_window kind, uint64_t at);

/* Time spent in pauses up to now. */
uint64_t control_paused_ns(void);

/* CLOCK_MONOTONIC; 0: from the begin on; UINT64_MAX: it is paused. */
uint64_t control_measured_since(void);

/* An MPI rank that is not measured: leave word of it in `directory`. */
void control_left_out(const char *directory, int rank);
