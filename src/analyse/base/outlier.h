/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outlier.h - values that are far from the others, by a rule that a few of
 * them do not bend: further from the median than 3.5 times the median
 * deviation, scaled to a standard one (doc/copse-report-ranks.1 cites it).
 */
#pragma once

#include <stddef.h>

struct outliers {
	double median;
	double within; /* so far from it a value may be */
	size_t count;  /* of outliers */
};

/*
 * A difference of no more than `least` is none, however equal the others are.
 * Fewer than three values have no outlier.  0, or -ENOMEM with a reason.
 */
int outlier_rule(struct outliers *to, const double *values, size_t count,
		 double least);

/* 1: an outlier above, -1: below, 0: none. */
int outlier_is(const struct outliers *rule, double value);
