/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-imbalance-table.h - the table of call paths that take longer on one rank
 * than on the others, those first of which an even load would save most.
 */
#pragma once

#include "analyse/base/analysis.h"
#include "analyse/ranks/rank-distribution.h"
#include "analyse/ranks/path-imbalance.h"

struct imbalance_table {
	const char *title;
	size_t rows;  /* unless others are asked for */
	bool outside; /* without what is inside MPI: it follows from the rest */
};

/* Adds the table `paths`.  0, or -ENOMEM with a reason. */
int imbalance_table(struct report *report, const struct skews *skews,
		    const struct imbalance_table *how,
		    const struct analysis_options *options);

/* Two cells: the shape of the values as a word and as a text. */
void imbalance_table_shape(struct report *report, const struct shapes *shapes,
			   const double *values);
