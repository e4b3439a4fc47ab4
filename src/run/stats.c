/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - per context and metric: sum, mean, extremes and deviation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/run-build.h"
#include "run/values.h"
#include "base/ordered-pool.h"

/* The values of one node that belong to members: they come first. */
static size_t members_among(const struct run_value *values, size_t count,
			    size_t members)
{
	size_t n = 0;

	while (n < count && values[n].rank < members)
		n++;
	return n;
}

/* The lowest member without a value: a 0, if there is one. */
static uint32_t first_member_without_value(const struct run_value *values,
					   size_t count)
{
	uint32_t rank = 0;

	while (rank < count && values[rank].rank == rank)
		rank++;
	return rank;
}

static void find_stat_extremes(struct run_stat *stat,
			       const struct run_value *values, size_t count,
			       size_t members)
{
	if (count < members) {
		stat->min_rank = stat->max_rank =
			first_member_without_value(values, count);
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
	find_stat_extremes(stat, values, among, members);
}

/*
 * Profiles keep no squares.  Of the n samples that a rank has in a node, which
 * weigh W, the squares sum up to W^2 / n at least, and to little more: they
 * were taken at one place.  What differs between places and ranks counts.
 */
static double squares_of_values(const struct run_value *values, size_t count,
				const struct run_value *samples,
				size_t sample_count)
{
	double sum = 0;
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		double weight = (double)values[i].value, n = 1;

		while (at < sample_count && samples[at].rank < values[i].rank)
			at++;
		if (at < sample_count && samples[at].rank == values[i].rank)
			n = fmax((double)samples[at].value, 1);
		sum += weight * weight / n;
	}
	return sum;
}

/*
 * All nodes, some at a time.
 */

struct statistics {
	struct run *run;
	size_t metric;
	const struct run_metric *samples; /* NULL: it is not sampled */
};

static struct statistics statistics_of(struct run *run, size_t metric)
{
	bool sampled = run_is_sampled(&run->metrics[metric]);

	return (struct statistics){ run, metric,
				    sampled ? run_metric(run, "samples")
					    : NULL };
}

struct buffers {
	struct value_buffer values, samples;
};

/* Statistics over all entries, except the sum. */
static int entry_stats(const struct statistics *s, size_t node,
		       const struct run_value *values, size_t count,
		       struct value_buffer *buffer)
{
	struct run_stat *stat = &s->run->metrics[s->metric].stats[node];
	bool own = s->samples == &s->run->metrics[s->metric];
	const struct run_value *samples = values;
	size_t sample_count = count;
	int err = 0;

	stat->squares = 0;
	stat->least = stat->most = 0;
	for (size_t i = 0; i < count; i++) {
		if (!i || values[i].value < stat->least)
			stat->least = values[i].value;
		if (values[i].value > stat->most)
			stat->most = values[i].value;
	}
	if (!s->samples || !count)
		return 0;
	if (!own)
		err = values_of_node(s->run,
				     (size_t)(s->samples - s->run->metrics),
				     node, buffer, &samples, &sample_count);
	if (!err)
		stat->squares =
			squares_of_values(values, count, samples, sample_count);
	return err;
}

static int node_stats(const struct statistics *s, size_t node,
		      struct buffers *buffers)
{
	struct run *run = s->run;
	size_t metric = s->metric;
	struct run_metric *m = &run->metrics[metric];
	const struct run_value *values;
	size_t count;
	int err = values_of_node(run, metric, node, &buffers->values, &values,
				 &count);

	if (err)
		return err;
	node_stat(&m->stats[node], values, count, run->member_count);
	return entry_stats(s, node, values, count, &buffers->samples);
}

static int make_stats(void *of, size_t i, void **item)
{
	const struct statistics *s = of;
	struct buffers buffers = { 0 };
	size_t node, end;
	int err = 0;

	(void)item;
	values_part(s->run, s->metric, i, &node, &end);
	for (; node < end && !err; node++)
		err = node_stats(s, node, &buffers);
	value_buffer_fini(&buffers.values);
	value_buffer_fini(&buffers.samples);
	return err;
}

static int ignore_item(void *of, size_t i, void *item)
{
	(void)of, (void)i, (void)item;
	return 0;
}

static int metric_stats(struct run *run, size_t metric)
{
	struct run_metric *m = &run->metrics[metric];
	struct statistics s = statistics_of(run, metric);
	struct ordered_work work = {
		.count = values_part_count(run, metric),
		.make = make_stats,
		.take = ignore_item,
		.of = &s,
	};

	m->stats = calloc(run->node_count + 1, sizeof(*m->stats));
	if (!m->stats)
		return no_memory();
	return ordered_pool_run(&work, values_in_memory(run, metric)
					       ? 0
					       : run->source->threads);
}

int run_stats(struct run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->metric_count && !err; i++)
		err = metric_stats(run, i);
	return err;
}

static int metric_entries(const struct statistics *s)
{
	struct buffers buffers = { 0 };
	int err = 0;

	for (size_t n = 0; n < s->run->node_count && !err; n++) {
		const struct run_value *values;
		size_t count;

		err = values_of_node(s->run, s->metric, n, &buffers.values,
				     &values, &count);
		if (!err)
			err = entry_stats(s, n, values, count,
					  &buffers.samples);
	}
	value_buffer_fini(&buffers.values);
	value_buffer_fini(&buffers.samples);
	return err;
}

int run_entry_stats(struct run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->metric_count && !err; i++) {
		struct statistics s = statistics_of(run, i);

		err = metric_entries(&s);
	}
	return err;
}

/*
 * The values themselves.
 */

struct fetching {
	const struct run *run;
	struct run_value *to;
	size_t metric;
};

static int fetch_nodes(void *of, size_t i, void **item)
{
	const struct fetching *f = of;
	const uint64_t *first = f->run->metrics[f->metric].first;
	struct value_buffer buffer = { 0 };
	size_t node, end, count;
	const struct run_value *values;
	int err = 0;

	(void)item;
	values_part(f->run, f->metric, i, &node, &end);
	for (; node < end && !err; node++) {
		err = values_of_node(f->run, f->metric, node, &buffer, &values,
				     &count);
		if (!err && count)
			memcpy(f->to + first[node], values,
			       count * sizeof(*values));
	}
	value_buffer_fini(&buffer);
	return err;
}

int run_fetch(struct run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->metric_count && !err; i++) {
		struct run_metric *m = &run->metrics[i];
		struct fetching f = { .run = run, .metric = i };
		struct ordered_work work = { .count = values_part_count(run, i),
					     .make = fetch_nodes,
					     .take = ignore_item,
					     .of = &f };

		if (values_in_memory(run, i))
			continue;
		f.to = calloc(m->first[run->node_count] + 1, sizeof(*f.to));
		if (!f.to)
			return no_memory();
		err = ordered_pool_run(&work, run->source->threads);
		m->values = f.to;
	}
	run_source_free(run->source);
	run->source = NULL;
	return err;
}
