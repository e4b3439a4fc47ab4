/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dominant-path.h - of times by call path, the path that a person would name:
 * not the one with the most of its own, which may be a sliver of what its
 * callers have in many small parts, but the deepest with nearly all of it
 * below.
 */
#pragma once

#include "run/call-paths.h"

#define MAINLY      0.75 /* of the time: it was there */
#define MAINLY_HALF 0.5  /* it was most often there */
#define MAINLY_FAIR 0.25 /* a fair share of it was */

struct mainly {
	uint32_t path;   /* 0: no path has a fair share */
	double seconds;  /* there, and below if that is meant as well */
	uint32_t mostly; /* that it calls of a library, paths_mostly() */
};

/*
 * own[]: seconds of each path without what it calls; changed.  The reader knows
 * of the path `known` (0: none), so its callers are named only for time of
 * their own.  0, or -ENOMEM with a reason.
 */
int dominant_in(struct mainly *to, const struct paths *paths, double *own,
		uint32_t known);

/* The same, of paths with `most` of it at first: one of the three above. */
int dominant_from(struct mainly *to, const struct paths *paths, double *own,
		  uint32_t known, double most);
