/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-union.h - the call paths of several runs as one tree, by name: a path
 * is the same in another run, or build, when its functions are.
 *
 * Ownership   The union holds copies; the runs may go.
 */
#ifndef ANALYSE_PATH_UNION_H
#define ANALYSE_PATH_UNION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "merge/run.h"

struct union_path {
	uint32_t parent, end; /* as in struct path */
	uint32_t name;        /* string */
	bool mpi;             /* an MPI function, or inside one */
};

struct path_union {
	size_t count, run_count;
	struct union_path *at;
	struct strings strings;
	double *inclusive; /* run_count for each path, in the unit of reports */
};

/*
 * Values are sums over ranks of the metric of that name.  `mpi`, unless it is
 * NULL, is the metric that stands for it in MPI calls, whose inside is left
 * out.  A run without a metric has 0.  0, or -ENOMEM with a reason.
 */
int path_union_init(struct path_union *u, const struct run *const runs[],
		    const char *metric, const char *mpi);
void path_union_fini(struct path_union *u);

/* "work ← solve ← main"; to be freed, NULL when out of memory. */
char *path_union_text(const struct path_union *u, uint32_t path);

#endif
