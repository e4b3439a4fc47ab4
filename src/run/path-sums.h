/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-sums.h - what call paths have with all that they call: over the members
 * of a run, and process by process.
 *
 * Cost   A database keeps the sums of all paths, and for some of them what each
 *        process has: a row.  There are as many rows as it takes that any
 * path's is added up from few (path-sums.c says how few), so that no question
 *        is for all values.  In a run that is in memory, or comes from a
 *        database without rows, all values below a path are read.
 */
#pragma once

#include "run/call-paths.h"

struct path_sum { /* inclusive, over members; those without a value have 0 */
	double sum;
	uint64_t min, max;
	uint32_t min_rank, max_rank; /* indices; the lowest of equals */
	uint32_t row;                /* of those that the database has, + 1 */
};

/*
 * What a metric leaves out (struct run_idle) is 0 in all of these.
 *
 * Of every path, for a metric that is added up; to be freed.  NULL with a
 * reason: out of memory, or values cannot be read.
 */
struct path_sum *path_sums(const struct paths *paths,
			   const struct run_metric *metric);

/*
 * The value of each of the run's ranks in a path and below: to[rank_count].  0,
 * or -errno with a reason.
 */
int path_row(const struct paths *paths, const struct run_metric *metric,
	     uint32_t path, uint64_t *to);

/* The same without what it calls. */
int path_own_row(const struct paths *paths, const struct run_metric *metric,
		 uint32_t path, uint64_t *to);

/* The same of a metric as a whole. */
int path_totals(const struct run *run, const struct run_metric *metric,
		uint64_t *to);

/* path-sums-file.c: to run.h5, and back; a metric's, then those of the run. */
struct store;
struct source_metric;
void path_sums_save(struct store *s, const struct paths *paths, size_t metric);
void path_sums_load(struct store *s, const struct run *run, const char *group,
		    struct run_metric *metric, struct source_metric *source);
void paths_save(struct store *s, const struct paths *paths);
void paths_load(struct store *s, struct run *run);

/* Takes the rows of paths that are wanted, in the order of their numbers. */
struct row_taker {
	const bool *wanted;
	int (*take)(void *of, const uint64_t *row);
	void *of;
};

/* path_sums() by the values, and the rows for a taker, which may be NULL. */
struct path_sum *path_sums_make(const struct paths *paths,
				const struct run_metric *metric,
				const struct row_taker *taker);
