/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.h - what nodes have over all ranks, themselves and with those below. */
#ifndef EXPORT_SUMS_H
#define EXPORT_SUMS_H

#include <stdio.h>

#include "merge/run.h"

struct sums {
	const struct run *run;
	double **inclusive; /* [metric][node] in the unit of reports; NULL: an
			       extreme, which is no sum */
};

/* 0, or -ENOMEM with a reason; sums_fini() is due in either case. */
int sums_init(struct sums *sums, const struct run *run);
void sums_fini(struct sums *sums);

/* "12.5": of a metric, as CSV and JSON have it. */
void sums_write(FILE *to, const struct run_metric *metric, double value);

/* "function", "line": what a node is. */
const char *sums_kind(const struct run_node *node);

#endif
