/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait-events.h - what wait states are made of (live/layout.h): a thread's
 * events of MPI operations, and the trace points of its samples, in bounded
 * memory.
 *
 * A process keeps at most WAIT_EVENTS_MOST events and each thread that calls
 * MPI a quarter of that in moments, the other threads some (what they did tells
 * why one that sleeps is late); in jobs of more than WAIT_EVENTS_RANKS ranks so
 * much less that a job keeps the same. When a thread has its share, the level
 * rises by one: half of all operations go, the same on all ranks.
 *
 * Threads   A struct wait_events belongs to one thread; the level to all.
 * Signals   wait_events_add_point() is for the handler; the rest while it is
 * busy.
 */
#pragma once

#include "base/hidden.h"
#include "base/sigsafe.h"
#include "live/moments.h"

enum {
	WAIT_EVENTS_MOST = 16384, /* of 64 bytes */
	WAIT_EVENTS_FEWEST = 512,
	WAIT_EVENTS_RANKS = 1024,
	WAIT_EVENTS_LONG_NS = 100000,
};

struct wait_events { /* all zero: none, and no moments are kept */
	bool wanted; /* the thread calls MPI */
	uint32_t count;
	struct chunk_list list;
	struct moments moments;
	/* Where small records of MPI calls go. */
	struct arena_small small;
};

struct thread;

/* Called once MPI knows how many ranks there are. */
void wait_events_init(int ranks);

/* Below this level no event is kept; it only grows. */
extern uint32_t wait_events_level;

/* Threads that do not call MPI keep moments, too: where one that calls MPI
   sleeps, no sample of its own says so; and with --trace. */
extern HIDDEN bool wait_events_of_all;

void wait_events_add(struct thread *t, const struct live_event *event);

/*
 * The end of a call for files that took so long: a call that sleeps has no
 * sample.  One of less than WAIT_EVENTS_LONG_NS has no point, nor one that -e
 * wall samples.
 */
void wait_events_add_call(struct thread *t, live_ref node, uint64_t end_ns,
			  uint64_t ns);
SIGSAFE void wait_events_add_point(struct thread *t, live_ref node,
				   uint64_t now_ns, uint64_t wall_ns);
