/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - per context and metric: sum, mean, extremes and deviation. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "merge/build.h"

/* The values of one node that belong to members: they stand first. */
static size_t members_among(const struct run_value *values, size_t count,
			    size_t members)
{
	size_t n = 0;

	while (n < count && values[n].rank < members)
		n++;
	return n;
}

/* The lowest member without a value: a 0, if there is one. */
static uint32_t first_gap(const struct run_value *values, size_t count)
{
	uint32_t rank = 0;

	while (rank < count && values[rank].rank == rank)
		rank++;
	return rank;
}

static void find_extremes(struct run_stat *stat, const struct run_value *values,
			  size_t count, size_t members)
{
	if (count < members) {
		stat->min_rank = stat->max_rank = first_gap(values, count);
		stat->min = stat->max = 0;
	} else if (count) {
		stat->min = stat->max = values[0].value;
		stat->min_rank = stat->max_rank = values[0].rank;
	}
	for (size_t i = 0; i < count; i++) {
		if (values[i].value < stat->min) {
			stat->min = values[i].value;
			stat->min_rank = values[i].rank;
		}
		if (values[i].value > stat->max) {
			stat->max = values[i].value;
			stat->max_rank = values[i].rank;
		}
	}
}

static void find_mean(struct run_stat *stat, const struct run_value *values,
		      size_t count, size_t members)
{
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		stat->mean += (double)values[i].value / (double)members;
	for (size_t i = 0; i < count; i++) {
		double away = (double)values[i].value - stat->mean;

		squares += away * away;
	}
	squares += (double)(members - count) * stat->mean * stat->mean;
	stat->deviation = sqrt(squares / (double)members);
}

static void node_stat(struct run_stat *stat, const struct run_value *values,
		      size_t count, size_t members)
{
	size_t among = members_among(values, count, members);

	for (size_t i = 0; i < count; i++)
		stat->sum += (double)values[i].value;
	if (!members)
		return;
	find_mean(stat, values, among, members);
	find_extremes(stat, values, among, members);
}

int run_stats(struct run *run)
{
	for (size_t i = 0; i < run->metric_count; i++) {
		struct run_metric *m = &run->metrics[i];

		m->stats = calloc(run->node_count + 1, sizeof(*m->stats));
		if (!m->stats)
			return fail(-ENOMEM, "out of memory");
		for (size_t n = 0; n < run->node_count; n++)
			node_stat(&m->stats[n], m->values + m->first[n],
				  m->first[n + 1] - m->first[n],
				  run->member_count);
	}
	return 0;
}
