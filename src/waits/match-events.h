/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * match-events.h - the event records of all ranks, and the trace points of
 * their samples: collected while the profiles pass one at a time, then matched.
 * An event record is what one rank did in a collective call or for a message;
 * the records of all ranks that took part are one matched operation.
 *
 * Memory     is bounded: records that do not fit make the level grow, so that
 *            half of the operations go, the same in all ranks; trace points are
 *            thinned.  What is left does not depend on the order of the
 *            profiles.
 * Ownership  match_fini() frees all.
 */
#pragma once

#include <stdbool.h>

#include "waits/clocks.h"
#include "run/gatherer.h"

#define MATCH_RECORDS      ((size_t)256 << 20) /* bytes of records */
#define MATCH_TRACE_POINTS ((size_t)80 << 20)  /* bytes of points */
#define MATCH_HELPERS      UINT32_MAX /* the thread of what all helpers have */

struct event_record {
	uint64_t key;
	int64_t begin, enter, leave; /* of the process's clock, then aligned */
	uint32_t begin_node, node;   /* of the unified tree, then the run's */
	uint32_t process;            /* in the order of reading, then the run's
				      */
	uint32_t thread;
	int32_t peer;
	uint32_t check, size, comm_rank, cluster;
	uint8_t kind, level; /* enum live_event_kind */
	bool main;           /* of the thread of MPI_Init */
	bool init;           /* of MPI_Init itself: it bounds clocks only */
	bool meets;          /* nobody leaves before the last has come */
	bool one_way;        /* a message whose sender needs no receiver */
};

struct trace_point {
	int64_t ns;
	uint32_t node, weight_ns;
};

/*
 * The trace points of one thread.  Those of a process's helpers, which have no
 * event records, are one series: there weight_ns is the CPU time that a point
 * stands for.
 */
struct series {
	uint32_t process, thread;
	bool wall;        /* blocked threads were sampled, too */
	double every;     /* samples that one stands for */
	double period_ns; /* CPU time that one stands for, on average */
	struct trace_point *at;
	size_t count;
};

struct matched_events {
	struct event_record *at;
	struct series *series;
	struct clock_source *sources; /* one for each process */
	size_t count, room, series_count, series_room, source_count,
		source_room;
	size_t most, most_points, point_count;
	uint32_t level, thinned; /* one of 2^thinned points is kept */
	struct run_joined joined;
};

/* bytes, point_bytes: at most, for records and for points. */
void match_init(struct matched_events *events, size_t bytes,
		size_t point_bytes);
void match_fini(struct matched_events *events);

/* match-events.c: it has these bounds when it is a merge's. */
extern const struct gatherer gatherer_match_events;

/*
 * Sort by key and keep complete operations only; the others are counted in
 * events->joined.
 */
void match_join(struct matched_events *events, const struct run *run);

/* How many operations the operation of the record represents. */
double match_weight(const struct matched_events *events,
		    const struct event_record *event);

/* The end of the operation that begins at record i. */
size_t match_operation_end(const struct matched_events *events, size_t i);

/* The trace points of a thread, or of MATCH_HELPERS; NULL: none. */
const struct series *match_series(const struct matched_events *events,
				  uint32_t process, uint32_t thread);
