/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clocks.h - the monotonic clocks of several hosts become one.
 *
 * Method   Processes of one boot and time namespace share a clock.  Between
 *          two clocks the dates at the start and at the end of the processes
 *          give a first guess.  What was measured bounds it: a message is not
 *          received before it was sent, and nobody leaves a barrier, or a
 *          collective call in which each sends something to each, before the
 *          last one came.  Each such pair bounds
 *          the offset at one moment from one side; an offset that drifts
 *          evenly is a straight line between the two sets of bounds (A. Duda,
 *          G. Harrus, Y. Haddad, G. Bernard, Estimating global time in
 *          distributed systems, ICDCS 1987).  All lines that are possible are
 *          a convex polygon in the plane of the offsets at the beginning and
 *          at the end, from which each bound cuts a piece; the middle of what
 *          is left is taken, half its width is the error.  Where bounds
 *          contradict each other (a clock that was set, or did not drift
 *          evenly) all are widened until they do not, and so is the error.
 *          Bounds win over dates.  (Scalasca interpolates between offsets
 *          measured at both ends: J. Doleschal, A. Knuepfer, M. S. Mueller,
 *          W. E. Nagel, Internal timer synchronization for parallel event
 *          tracing, EuroPVM/MPI 2008; that needs messages of its own.)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct matched_events;

/* Where nothing but dates is known, they are taken to be as good as this. */
#define CLOCK_DATE_NS 100e6

struct clock_source { /* what one process says of its clock */
	char id[64];  /* of the clock: equal where it is the same */
	uint32_t process;
	uint64_t start_real, start_mono, late_real, late_mono, end_mono;
};

struct clock_line { /* what is added to times of a clock: a line … */
	int64_t base;
	double from, to; /* … from `from` at the beginning to `to` … */
	int64_t begin, length; /* … `length` after it */
};

struct clocks {
	struct clock_line *at; /* to the clock of the run's first process */
	double *error;         /* at most, of each against that one */
	uint32_t *of;          /* the clock of each process */
	size_t count;
	size_t unbound; /* known by date alone */
	double error_max;
};

struct clock_source clock_source_of(const struct profile_identity *id,
				    uint32_t process);

/* It was still running then. */
void clock_source_reach(struct clock_source *source, uint64_t mono_ns);

/*
 * Find the clocks of `processes` processes, and how they differ,
 * and make all times of records and points those of the first.  0, or -ENOMEM
 * with a reason.
 */
int clocks_align(struct clocks *clocks, struct matched_events *events,
		 size_t processes);
/* A time of that process's clock, 36 years at most, as the first's. */
int64_t clocks_time(const struct clocks *clocks, uint32_t process, uint64_t ns);

/* When the first process began, so. */
int64_t clocks_begin(const struct clocks *clocks,
		     const struct matched_events *events);

void clocks_fini(struct clocks *clocks);

/* How far the times of two processes may be apart from what they are. */
double clocks_error(const struct clocks *clocks, uint32_t a, uint32_t b);
