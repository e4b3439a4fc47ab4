/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overview-diff.h - two sides of runs as one tree, with what both have in each
 * call path, for all metrics.
 *
 * Ownership   The runs must outlive it.
 */
#pragma once

#include "analyse/compare/compare.h"

/* By path, in the unit of reports, means of a side. */
struct overview_change {
	const struct run_metric *metric; /* of one of the runs */
	double *base, *now;              /* of the path alone */
	double *margin; /* of the change with what it calls; NAN: unknown */
};

struct overview_diff {
	struct sides sides;
	struct overview_change *changes;
	size_t change_count;
	const struct run_metric *metric; /* that is compared first */
};

/* As diff takes them.  0, or -errno with a reason. */
int overview_diff_init(struct overview_diff *d, const struct run *const runs[],
		       const struct analysis_options *options);
void overview_diff_fini(struct overview_diff *d);
