/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock-bounds.h - all straight lines above some points and below others, as
 * a convex polygon: x is where a line begins, y is where it ends.
 */
#pragma once

#include <stddef.h>

#define BOUNDS_CORNERS 96

struct bounds {
	struct bounds_corner {
		double x, y;
	} at[BOUNDS_CORNERS];
	size_t count; /* 0: no line */
};

/* All lines within +-most, with a slope of +-slope from end to end. */
void bounds_init(struct bounds *b, double most, double slope);

/*
 * Keep lines that are at least (at most) `value` where `share`, 0 … 1, of the
 * way has gone.  A polygon of too many corners stays as it is.
 */
void bounds_above(struct bounds *b, double share, double value);
void bounds_below(struct bounds *b, double share, double value);

/* A line in the middle, and how far any other is from it at its ends. */
double bounds_middle(const struct bounds *b, double *x, double *y);
