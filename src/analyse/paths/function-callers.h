/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * function-callers.h - functions that stand for all paths that lead to them, in
 * words that say where they were called from.
 *
 * Ownership   The paths must outlive it.
 */
#pragma once

#include "analyse/paths/paths.h"
#include "base/map.h"

/* A frame below those that call it; the functions are below row 0. */
struct function_caller {
	uint32_t parent;
	uint32_t path; /* the one with the most of it … */
	double most;   /* … and its seconds */
	double seconds;
};

struct function_callers { /* all zero but the paths: none yet */
	const struct paths *paths;
	struct map rows;
	struct function_caller *at;
	size_t count, room;
};

/* The row of the path's function, to which its seconds are added; MAP_NONE when
 * out of memory. */
uint32_t function_callers_add(struct function_callers *to, uint32_t path,
			      double seconds);
void function_callers_fini(struct function_callers *callers);

/*
 * "burn ← outer ← main" where nearly all of it is there, or else "burn (67 % of
 * that from outer ← main)"; to be freed, NULL when out of memory.
 */
char *function_callers_text(const struct function_callers *callers,
			    uint32_t function);

/*
 * The function below a path that has `least` of it or more, by whatever way it
 * was called, and its seconds into *has; own[]: seconds of paths as they are
 * said, paths_said().  To be freed.  *text NULL: no function has.  0, or
 * -ENOMEM.
 */
int function_below(char **text, double *has, const struct paths *paths,
		   uint32_t path, const double *own, double least);
