/* SPDX-License-Identifier: BSD-3-Clause */
/* recent-looks.h - two looks at a run that goes on, and what came between. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/call-paths.h"

/* What is summed up for each rank. */
enum recent_sum {
	RECENT_CPU,
	RECENT_GPU,
	RECENT_CALLS,
	RECENT_READ,
	RECENT_WRITTEN,
	RECENT_MPI, /* with the call that has not returned */
	RECENT_SUMS
};

struct recent_rank {
	uint32_t row;             /* of the run's ranks */
	double sums[RECENT_SUMS]; /* a second; times as shares of a core */
	const struct run_last_call *last; /* NULL: there is none */
};

struct recent_looks {
	const struct run *before, *now;
	double seconds;
	struct paths paths; /* of `now` */
	struct recent_rank *ranks;
	size_t count;
	double totals[RECENT_SUMS]; /* of all ranks, until now, in the unit of
				       reports */
};

/*
 * Of one run, as it was before and as it is so many seconds later; both must
 * outlive it.  The ranks that are waited for come first.  0, or -errno with a
 * reason.
 */
int recent_looks_init(struct recent_looks *r, const struct run *before,
		      const struct run *now, double seconds);
void recent_looks_fini(struct recent_looks *r);

/* Of the last seconds, 0 to 1. */
double recent_in_mpi(const struct recent_rank *rank);

/* The first rank is far less in MPI than half of the others. */
bool recent_is_awaited(const struct recent_looks *r);

/* The memory that a rank held when it was read last; 0: it was not. */
uint64_t recent_memory(const struct run *run, uint32_t row);
