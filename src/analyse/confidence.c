/* SPDX-License-Identifier: BSD-3-Clause */
/* confidence.c - Wilson's interval on Kish's effective number of samples. */
#include <math.h>
#include <string.h>

#include "analyse/confidence.h"
#include "analyse/value.h"

#define Z 1.959964 /* of the normal distribution: 95 % are within */

static const char *const sampled[] = { "cpu.time", "wall.time", "samples" };

bool confidence_is_sampled(const struct run_metric *metric)
{
	for (size_t i = 0; i < sizeof(sampled) / sizeof(*sampled); i++)
		if (!strcmp(metric->name, sampled[i]))
			return true;
	return false;
}

/* How often a rank was sampled in a node; `at` runs along with the ranks. */
static double samples_of(const struct run_metric *samples, size_t node,
			 uint32_t rank, uint64_t *at)
{
	while (*at < samples->first[node + 1] &&
	       samples->values[*at].rank < rank)
		(*at)++;
	if (*at < samples->first[node + 1] && samples->values[*at].rank == rank)
		return fmax((double)samples->values[*at].value, 1);
	return 1;
}

/*
 * Profiles keep no squares.  Of the n samples that a rank has in a node, which
 * weigh W, the squares sum up to W^2 / n at least, and to little more: they
 * were taken at one place.  What differs between places and ranks counts.
 */
double confidence_squares(const struct run *run,
			  const struct run_metric *metric, size_t node)
{
	const struct run_metric *samples = run_metric(run, "samples");
	double squares = 0;
	uint64_t at;

	if (!samples || !confidence_is_sampled(metric))
		return 0;
	at = samples->first[node];
	for (uint64_t v = metric->first[node]; v < metric->first[node + 1];
	     v++) {
		double weight = (double)metric->values[v].value;

		squares +=
			weight * weight /
			samples_of(samples, node, metric->values[v].rank, &at);
	}
	return squares;
}

double confidence_samples(const struct run *run,
			  const struct run_metric *metric)
{
	double sum = 0, squares = 0;

	for (size_t node = 0; node < run->node_count; node++) {
		for (uint64_t v = metric->first[node];
		     v < metric->first[node + 1]; v++)
			sum += (double)metric->values[v].value;
		squares += confidence_squares(run, metric, node);
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
