/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-imbalance.h - how a metric differs between processes, for each call
 * path with what it calls.
 *
 * Most of a path's imbalance is often that of one of its callees.  Such paths
 * are marked as explained: the others are where imbalance comes from.
 *
 * Recoverable   What would be saved if the load of this path were even, and all
 *               else as it is: by how much the most that any process has
 *               outside MPI would fall.  The difference of a path alone (its
 *               imbalance) is no more than a bound: where rank 0 is in one
 *               function as long as rank 1 is in another, neither waits.
 *
 * Ownership   The paths must outlive their skews.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"
#include "analyse/ranks/rank-distribution.h"

/* A path is explained when one callee has this share of its imbalance. */
#define SKEW_EXPLAINED 0.9

struct skew {
	uint32_t path;
	uint32_t max_process;  /* index into run->ranks */
	double mean, min, max; /* inclusive, in the unit of reports */
	double imbalance;      /* max - mean */
	double recoverable;    /* of that; imbalance_outside_mpi() tells it */
	bool explained;        /* by one callee; a clock by who looks at it */
};

struct skews {
	const struct paths *paths;
	const struct run_metric *metric;
	uint32_t *processes; /* those compared: indices into run->ranks */
	size_t process_count;
	struct path_sum *sums; /* of each path */
	double most;           /* the largest imbalance, in ns or counts */
	double *outside;       /* of each process, all outside MPI */
	struct skew *at;       /* by imbalance, the largest first */
	size_t count;
};

/* 0, or -errno with a reason. */
int imbalance_init(struct skews *skews, const struct paths *paths,
		   const struct run_metric *metric);
void imbalance_fini(struct skews *skews);

/*
 * The values of a path and what it calls, one for each process compared.  0, or
 * -errno with a reason.
 */
int imbalance_values(const struct skews *skews, uint32_t path, double *to);

/*
 * The same without the MPI calls below the path, where a process waits for
 * those that have more to do; and that path's skew by them.  Inside MPI all
 * are 0.
 */
int imbalance_outside_mpi(const struct skews *skews, uint32_t path, double *to,
			  struct skew *skew);

/*
 * path-imbalance-table.c: the table of call paths that take longer on one rank
 * than on the others, those first of which an even load would save most.
 */

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
