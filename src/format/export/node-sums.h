/* SPDX-License-Identifier: BSD-3-Clause */
/* node-sums.h - what nodes have over all ranks, themselves and with those
 * below. */
#pragma once

#include <stdio.h>

#include "run/run.h"

struct node_sums {
	const struct run *run;
	double **inclusive; /* [metric][node] in the unit of reports; NULL: an
			       extreme, which is no sum */
};

/* 0, or -ENOMEM with a reason; sums_fini() is due in either case. */
int sums_init(struct node_sums *sums, const struct run *run);
void sums_fini(struct node_sums *sums);

/* "12.5": of a metric, as CSV and JSON have it. */
void sums_write(FILE *to, const struct run_metric *metric, double value);

/* ",NAME": the next cell of a row of CSV. */
void sums_string(FILE *to, const struct run *run, uint32_t string);

/* "function", "line": what a node is. */
