/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.h - a sample is added to its thread's tree. */
#pragma once

#include <ucontext.h>

#include "collect/thread.h"

/*
 * The node of what a signal has interrupted; 0: none.  *why gets the reason of
 * that, or of a partial path, else stays.
 */
SIGSAFE live_ref sample_context(struct thread *t, const ucontext_t *context,
				int *why);

/* The sample of a timer signal, at that node, weighed by sample_period_weigh().
 */
SIGSAFE void sample_put(struct thread *t, enum timer_signal kind, live_ref node,
			const struct weights *w);

/* And what its thread had to do with Python's GIL, by its registers. */
SIGSAFE void sample_put_gil(struct thread *t, live_ref node,
			    const struct weights *w,
			    const mcontext_t *registers);

/*
 * The timer signal that came while a region was left (t->late) is counted at
 * the region's node; 0: it is lost.
 */
void sample_late(struct thread *t, live_ref node);

static inline void sample_settle(struct thread *t, live_ref node)
{
	if (t->late)
		sample_late(t, node);
}
