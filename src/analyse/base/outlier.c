/* SPDX-License-Identifier: BSD-3-Clause */
/* outlier.c - median and median absolute deviation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/outlier.h"
#include "base/err.h"
#include "base/comparison.h"

#define NORMAL 1.4826 /* standard deviation / median deviation, of a normal */
#define FAR    3.5

ORDER_BY(by_outlier_value, double, ORDER(*a, *b))

static double median_of(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_outlier_value);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

int outlier_is(const struct outliers *rule, double value)
{
	if (fabs(value - rule->median) <= rule->within)
		return 0;
	return value > rule->median ? 1 : -1;
}

int outlier_rule(struct outliers *to, const double *values, size_t count,
		 double least)
{
	double *sorted = calloc(count + 1, sizeof(*sorted));

	*to = (struct outliers){ .within = INFINITY };
	if (!sorted)
		return no_memory();
	if (count) {
		memcpy(sorted, values, count * sizeof(*sorted));
		to->median = median_of(sorted, count);
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(values[i] - to->median);
	if (count > 2)
		to->within =
			fmax(FAR * NORMAL * median_of(sorted, count), least);
	for (size_t i = 0; i < count; i++)
		to->count += outlier_is(to, values[i]) != 0;
	free(sorted);
	return 0;
}
