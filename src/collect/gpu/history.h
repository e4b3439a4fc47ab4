/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * history.h - what a thread that gives work to GPUs did lately: its samples,
 * and its calls of MPI and CUDA that took long.  When a GPU had nothing to do,
 * this says why (gpu-idle.h); what was asked for is forgotten.
 *
 * Memory is bounded: when the spans do not fit, short neighbours become one,
 * which is of either with a chance that follows from their lengths, so that
 * sums over long times stay right.
 *
 * Threads   One writer, the thread; it may be read meanwhile by another.
 * Signals   Functions marked SIGSAFE are for the handler and for code that is
 *           busy with the thread's record.
 */
#pragma once

#include <stdbool.h>

#include "base/sigsafe.h"
#include "live/layout.h"

enum {
	HISTORY_SPANS = 32768, /* of 24 bytes: 3 s of one each 0.1 ms */
	HISTORY_LONG_NS = 10000,
	HISTORY_THREADS = 64, /* further ones have none */
};

enum span_kind {
	SPAN_SAMPLE,
	SPAN_CALL,
	SPAN_OFF, /* not on a core, and nobody says where */
};

struct span {
	uint64_t from, to; /* CLOCK_MONOTONIC; they do not overlap */
	live_ref node;
	uint32_t kind; /* enum span_kind */
};

struct history;

/* Of the thread with that index; NULL: no memory, or too many threads. */
struct history *history_new(uint32_t thread);

/* A call that began and ended then; short ones are left out. */
static inline bool history_wants(const struct history *h, uint64_t ns)
{
	return h && ns >= HISTORY_LONG_NS;
}
SIGSAFE void history_call(struct history *h, live_ref node, uint64_t from,
			  uint64_t to);

/*
 * Nothing is known of the time before a call that began then and took so long,
 * and it is worth asking whether the thread was on its core.
 */
SIGSAFE bool history_has_hole(const struct history *h, uint64_t from,
			      uint64_t ns);

/*
 * Of such a hole, which ended then: the thread's CPU time now, and at its last
 * sample.  The part of it that it cannot have been on its core is SPAN_OFF.
 */
SIGSAFE void history_back(struct history *h, live_ref node, uint64_t to,
			  uint64_t cpu_ns, uint64_t sampled_ns);

/* A sample at that time; it stands for so much elapsed and CPU time. */
SIGSAFE void history_sample(struct history *h, live_ref node, uint64_t now,
			    uint64_t wall_ns, uint64_t cpu_ns);

/*
 * Copies the spans, oldest first, to room for HISTORY_SPANS: how many.  0 as
 * well when the thread has no history, or changes it all the time.
 */
uint32_t history_read(uint32_t thread, struct span *to);

/* Nobody will ask for what was before. */
void history_settled(uint64_t ns);
