/* SPDX-License-Identifier: BSD-3-Clause */
/* clock-bounds.c - cutting half planes off a convex polygon. */
#include <math.h>

#include "waits/clock-bounds.h"

/* Keep what has a * x + b * y >= c. */
static void cut_bounds(struct bounds *p, double a, double b, double c)
{
	struct bounds out = { .count = 0 };

	for (size_t i = 0; i < p->count; i++) {
		const struct bounds_corner *from = &p->at[i];
		const struct bounds_corner *to = &p->at[(i + 1) % p->count];
		double f = a * from->x + b * from->y - c;
		double t = a * to->x + b * to->y - c;

		if (out.count + 2 > BOUNDS_CORNERS)
			return;
		if (f >= 0)
			out.at[out.count++] = *from;
		if ((f > 0 && t < 0) || (f < 0 && t > 0))
			out.at[out.count++] = (struct bounds_corner){
				from->x + (to->x - from->x) * f / (f - t),
				from->y + (to->y - from->y) * f / (f - t)
			};
	}
	*p = out;
}

void bounds_init(struct bounds *b, double most, double slope)
{
	*b = (struct bounds){ .at = { { -most, -most },
				      { most, -most },
				      { most, most },
				      { -most, most } },
			      .count = 4 };
	cut_bounds(b, -1, 1, -slope);
	cut_bounds(b, 1, -1, -slope);
}

void bounds_above(struct bounds *b, double share, double value)
{
	cut_bounds(b, 1 - share, share, value);
}

void bounds_below(struct bounds *b, double share, double value)
{
	cut_bounds(b, share - 1, -share, -value);
}

/*
 * The mean of the corners that reach farthest in each direction: within the
 * polygon, since that is convex.
 */
double bounds_middle(const struct bounds *b, double *x, double *y)
{
	struct bounds_corner low = b->at[0], high = b->at[0], left = low,
			     right = high;
	double error;

	for (size_t i = 1; i < b->count; i++) {
		const struct bounds_corner *c = &b->at[i];

		left = c->x < left.x ? *c : left;
		right = c->x > right.x ? *c : right;
		low = c->y < low.y ? *c : low;
		high = c->y > high.y ? *c : high;
	}
	*x = (left.x + right.x + low.x + high.x) / 4;
	*y = (left.y + right.y + low.y + high.y) / 4;
	error = fmax(*x - left.x, right.x - *x);
	return fmax(error, fmax(*y - low.y, high.y - *y));
}
