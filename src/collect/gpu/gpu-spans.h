/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-spans.h - what GPUs do for the ranges of a program (phases, NVTX): each
 * time that one is open is a span; work belongs to the spans that are open on
 * the thread that calls for it.  A thread that has no ranges of its own, such
 * as one that a framework keeps for backward passes, works for the thread that
 * was the first to have some.
 *
 * Threads   Spans begin and end on any thread, without a lock.  The rest is
 *           called with the lock of gpu.c.
 * Failure   What is lost is counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "live/arena.h"

struct thread;
struct region_name;

/* There are GPUs: from now on spans are kept. */
void gpu_spans_wanted(void);

/*
 * A span of the innermost range of the calling thread, for gpu_span_end(); 0:
 * it is not kept.  `group` is the name of all that differ in digits.
 */
uint64_t gpu_span_begin(struct thread *t, struct region_name *group,
			const char *text, uint64_t ns);
void gpu_span_end(struct thread *t, uint64_t span, uint64_t ns);

/* What the thread calls for now is for that span, and those that it is in. */
uint64_t gpu_span_of(const struct thread *t);

/* A piece of work, the next in the order of their start; fresh_ns: of it … */
void gpu_spans_work(const struct live_piece *piece, uint64_t fresh_ns);
void gpu_spans_exposed(uint64_t span, uint64_t ns);

/*
 * The GPUs worked up to `until`, and the next piece starts at `start`;
 * UINT64_MAX: none will.  They were idle for idle_ns before `until`.
 */
void gpu_spans_pass(uint64_t until, uint64_t idle_ns, uint64_t start);

/* Places are given back. */
void gpu_spans_settle(void);
void gpu_spans_reset(struct arena *arena);
