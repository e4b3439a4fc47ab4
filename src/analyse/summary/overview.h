/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overview.h - all that is worth showing of a run at once: the reports of the
 * analyses that have something to say of it, its call paths, and what its
 * processes have in them.
 *
 * Ownership   The runs must outlive it.
 */
#pragma once

#include "analyse/base/analysis.h"
#include "analyse/compare/overview-diff.h"
#include "analyse/ranks/rank-groups.h"
#include "analyse/paths/source-lines.h"
#include "analyse/time/time-grid.h"
#include "run/call-paths.h"

enum {
	OVERVIEW_ROWS = 100,    /* of a table */
	OVERVIEW_SHOWN = 50,    /* of one that is only read */
	OVERVIEW_CELLS = 60000, /* values of processes in nodes */
	OVERVIEW_HEATS = 3,
	OVERVIEW_COLUMNS = 1024, /* of the timeline */
	OVERVIEW_TIMES = 65536   /* cells of it */
};

struct overview_choice {
	const struct analysis *only; /* NULL: all that take one run */
	bool live;                   /* for a server that knows more */
	bool sources;                /* with the lines that take most */
	struct report *verdict;      /* of diff: the gate's, which is taken
					over; NULL: no rules were given */
};

struct overview {
	const struct run *run;
	bool live;
	struct paths paths;      /* of the run */
	struct report **reports; /* of one analysis: the only one */
	size_t report_count;
	size_t rows, shown; /* of their tables at most; as above */
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
	struct time_grid time; /* of these groups, as are … */
	struct step_grid steps;
	bool has_sources;            /* they were asked for: */
	struct source_lines sources; /* by the metric */
	/* Of two sides, this is all but the reports, and `run` is NULL. */
	struct overview_diff *diff;
};

/*
 * What was chosen of runs, with the options that each analysis takes;
 * options->limit 0: OVERVIEW_ROWS.  0, or -errno with a reason.
 */
int overview_init(struct overview *o, const struct run *const runs[],
		  const struct overview_choice *choice,
		  const struct analysis_options *options);
void overview_fini(struct overview *o);

/* It takes less than a second, judged by sizes. */
bool overview_is_quick(const struct run *run);
