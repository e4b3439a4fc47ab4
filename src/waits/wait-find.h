/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait-find.h - from matched events to who made whom wait: wait-find.c finds
 * how long each event waited, and for which other event; wait-blame.c follows
 * that to the rank and the context that caused it; wait-clip.c holds the
 * estimates of it against what was measured.
 *
 * The kind of an event, enum live_event_kind, says what it waits for.  A rank
 * waits from entering the call that ended its event until the last of those
 * that it depends on has begun, as far as it was still inside then: one that
 * left before did not wait.  Nobody makes progress outside MPI: who waits for a
 * message that the other had begun, and leaves only after the other came back
 * into MPI, waited until then.  Of events that ended in one call (MPI_Waitall)
 * the longest wait is the call's.  The kinds are those of F. Wolf and B. Mohr,
 * Automatic performance analysis of hybrid MPI/OpenMP applications, J. Syst.
 * Archit. 49, 2003 (EXPERT, Scalasca).
 */
#pragma once

#include "waits/clocks.h"
#include "waits/match-events.h"
#include "run/run-tables.h"

struct wait_state {       /* of one event */
	int64_t ns;       /* 0: it did not wait */
	int64_t early;    /* of it, before the first sender came */
	uint32_t culprit; /* event */
	uint32_t kind;    /* enum wait_kind */
	bool joint;       /* another event of the same call stands for it */
};

/*
 * For each event; at most one of those that ended in one call waits.  Where not
 * all were kept, to->kept has the calls.
 */
int waits_find(struct run_waits *to, struct wait_state *waits,
	       const struct matched_events *events, const struct clocks *clocks,
	       const struct run *run);

/* wait-blame.c: causes, contexts, victims and ranks of the run, from the waits.
 */
int waits_blame(struct run_waits *to, const struct wait_state *waits,
		const struct matched_events *events,
		const struct clocks *clocks, const struct run *run);

/* Contexts and victims by their causes' numbers, in the order of files. */
void waits_sort(struct run_waits *waits);
