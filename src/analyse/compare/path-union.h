/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-union.h - the call paths of several runs as one tree, by name: a path
 * is the same in another run, or build, when its functions are.
 *
 * Names      are without what a compiler adds to a part or clone of a function
 *            (".constprop.0", ".part.1", " [clone .cold]").
 * Ownership  The union holds copies; the runs may go.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "run/run.h"

struct union_path {
	uint32_t parent, end; /* as in struct path */
	uint32_t name;        /* string */
	uint32_t library;     /* string: where it is unnamed, else 0 */
	bool mpi;             /* an MPI function, or inside one */
	bool unnamed;         /* module+0xoffset */
};

struct path_union {
	size_t count, run_count;
	struct union_path *at;
	struct strings strings;
	uint32_t **of; /* of[run][node]: the path of a run's node */
};

/*
 * With `base` > 0 the first so many runs are of one build and the rest of
 * another: what only one of them has is then joined by shape, too
 * (path_alike()).  0, or -ENOMEM with a reason.
 */
int path_union_init(struct path_union *u, const struct run *const runs[],
		    size_t base);
void path_union_fini(struct path_union *u);

/*
 * A metric's values of one of the runs, sums over ranks in the unit of reports,
 * into exclusive[path].  `mpi`, unless it is NULL, stands for it in MPI calls.
 * A run without a metric has 0.
 */
void path_union_values(const struct path_union *u, size_t r,
		       const struct run *run, const char *metric,
		       const char *mpi, double *exclusive);

/* Adds to each path what is below it. */
void path_union_add_up(const struct path_union *u, double *values);

/*
 * Whether a path's change is that of what it calls: of callees that changed
 * notably and as it did, which together have 90 % of it.  One for each path; to
 * be freed, NULL with a reason.
 */
bool *path_union_explained(const struct path_union *u, const double *change);

/* "work ← solve ← main"; to be freed, NULL when out of memory. */
char *path_union_text(const struct path_union *u, uint32_t path);

/* "main;solve;work", as in folded stacks; likewise. */
char *path_union_stack(const struct path_union *u, uint32_t path);

const char *path_union_function(const struct path_union *u, uint32_t path);

/*
 * path-alike.c: call paths that two builds of a program name differently.
 *
 * Looked at is only what one build has and the other has not, below a caller
 * that both have.  Such paths are joined when
 *  - their names are equal but for arguments and template arguments, and no
 *    other path there has such a name;
 *  - both have no name and are in the same library (or the program), and what
 *    they call has mostly the same names; of those that call nothing, as many
 *    on each side, the first is the first by address, and so on;
 *  - one is called by a function between, which the other build has not: it
 *    was inlined, and no debug information says so.
 * It is a guess, and a careful one: functions with different names stay apart.
 */

/*
 * Joins paths of `u`, whose parents come before them.  sides[path]: 1 base,
 * 2 the others, 3 both.  to[path] is the path's new number.  0 or -ENOMEM.
 */
int path_alike(struct path_union *u, unsigned char *sides, uint32_t *to);
