/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap-live.h - the sampled blocks that are live, and their sums in the live
 * profile: by context, over time and at the peak.
 *
 * 32,768 blocks at most are known as live.  When there are more, the mean
 * interval doubles, and a lot decides which of them would have been drawn by
 * that: sums stay right, and what is live is known less well.
 *
 * Threads   Any.  Sums change under one lock; who frees a block that was not
 *           sampled needs none.
 */
#pragma once

#include "collect/heap/heap-sample.h"
#include "live/layout.h"

struct thread;

/* Mean bytes from one that is drawn to the next, as of now. */
uint64_t heap_live_interval(void);

/*
 * A sample, in the thread's own tree.  False: no memory for its sums, or to
 * remember it.
 */
bool heap_live_add(struct thread *t, live_ref node, struct heap_block *block);

/* May it be here?  Takes no lock. */
bool heap_live_has(uint64_t address);

/* It is freed; false: it was none of ours. */
bool heap_live_take(uint64_t address, struct heap_block *was);
void heap_live_put_back(const struct heap_block *was);

/* A sample that could not be taken. */
void heap_live_muted(void);

/* What a sample took that began then: ns, which also decide the interval. */
uint64_t heap_live_cost(uint64_t begin_ns);
