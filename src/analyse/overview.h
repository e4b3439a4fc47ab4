/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overview.h - all that is worth showing of a run at once: the reports of the
 * analyses that have something to say of it, its call paths, and what its
 * processes have in them.
 *
 * Ownership   The runs must outlive it.
 */
#ifndef ANALYSE_OVERVIEW_H
#define ANALYSE_OVERVIEW_H

#include "analyse/analysis.h"
#include "analyse/path-heat.h"
#include "analyse/rank-groups.h"
#include "run/call-paths.h"

enum {
	OVERVIEW_ROWS = 100,    /* of a table */
	OVERVIEW_CELLS = 60000, /* values of processes in nodes */
	OVERVIEW_HEATS = 3
};

struct overview {
	const struct run *run;
	struct paths paths;      /* of the run */
	struct report **reports; /* of one analysis: the only one */
	size_t report_count;
	size_t rows; /* of their tables, at most */
	const struct run_metric
		*metric; /* the time that was sampled, or NULL */
	/*
	 * What processes have: of as many metrics as OVERVIEW_CELLS are enough
	 * for all of it, by metric; of the most important others a picture, in
	 * which each process that a finding names stands alone.
	 */
	bool *in_cells;
	struct rank_groups groups;
	struct path_heat heats[OVERVIEW_HEATS];
	size_t heat_count;
};

/*
 * Of `only`, or of all that take one run (NULL), with the options that each of
 * them takes; options->limit 0: OVERVIEW_ROWS.  0, or -errno with a reason.
 */
int overview_init(struct overview *o, const struct run *const runs[],
		  const struct analysis *only,
		  const struct analysis_options *options);
void overview_fini(struct overview *o);

/* It takes less than a second, as far as sizes tell. */
bool overview_is_quick(const struct run *run);

#endif
