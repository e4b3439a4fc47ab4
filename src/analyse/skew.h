/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * skew.h - how a metric differs between processes, for each call path with
 * what it calls.
 *
 * Most of a path's imbalance is often that of one of its callees.  Such paths
 * are marked as explained: the others are where imbalance comes from.
 *
 * Ownership   The paths must outlive their skews.
 */
#ifndef ANALYSE_SKEW_H
#define ANALYSE_SKEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/paths.h"

struct skew {
	uint32_t path;
	uint32_t max_process;  /* index into run->ranks */
	double mean, min, max; /* inclusive, in the unit of reports */
	double recoverable;    /* max - mean */
	bool explained;        /* by one callee */
};

struct skews {
	const struct paths *paths;
	const struct run_metric *metric;
	uint32_t *processes; /* those compared: indices into run->ranks */
	size_t process_count;
	struct skew *at; /* by recoverable, the largest first */
	size_t count;
};

/* 0, or -errno with a reason. */
int skew_init(struct skews *skews, const struct paths *paths,
	      const struct run_metric *metric);
void skew_fini(struct skews *skews);

/*
 * The values of a path and what it calls, one for each process compared.  0, or
 * -errno with a reason.
 */
int skew_values(const struct skews *skews, uint32_t path, double *to);

#endif
