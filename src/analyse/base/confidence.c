/* SPDX-License-Identifier: BSD-3-Clause */
/* confidence.c - Wilson's interval on Kish's effective number of samples. */
#include <math.h>

#include "analyse/base/confidence.h"
#include "analyse/base/value.h"

#define Z 1.959964 /* of the normal distribution: 95 % are within */

double confidence_samples(const struct run *run,
			  const struct run_metric *metric)
{
	double sum = 0, squares = 0;

	for (size_t node = 0; node < run->node_count; node++) {
		sum += metric->stats[node].sum;
		squares += metric->stats[node].squares;
	}
	return value_ratio(sum * sum, squares);
}

struct confidence confidence_of(double share, double samples)
{
	struct confidence c = { 0, 1, 1 };
	double p = fmin(fmax(share, 0), 1), shrink, centre, half;

	if (samples <= 0)
		return c;
	shrink = 1 / (1 + Z * Z / samples);
	centre = shrink * (p + Z * Z / (2 * samples));
	half = shrink * Z *
	       sqrt(p * (1 - p) / samples + Z * Z / (4 * samples * samples));
	c.low = fmax(centre - half, 0);
	c.high = fmin(centre + half, 1);
	c.margin = fmax(p - c.low, c.high - p);
	return c;
}

void confidence_cells(struct report *report, const struct confidence *c,
		      double samples)
{
	if (samples <= 0) {
		report_none(report);
		report_none(report);
		return;
	}
	report_number(report, c->low);
	report_number(report, c->high);
}
