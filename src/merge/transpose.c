/* SPDX-License-Identifier: BSD-3-Clause */
/* transpose.c - the streams of values.h once more, one for each rank. */
#include <stdlib.h>

#include "merge/values.h"

#define MEMORY ((size_t)48 << 20) /* and a file for more */

static uint32_t *numbers(size_t count)
{
	uint32_t *at = calloc(count + 1, sizeof(*at));

	for (size_t i = 0; at && i <= count; i++)
		at[i] = (uint32_t)i;
	return at;
}

struct run *transpose_new(const struct run *run, size_t metric)
{
	struct run *to = calloc(1, sizeof(*to));
	struct run_source *source = calloc(1, sizeof(*source));
	struct source_metric *m = calloc(1, sizeof(*m));
	bool spills = run->source && run->source->values;

	if (!to || !source || !m) {
		free(to);
		free(source);
		free(m);
		return NULL;
	}
	to->node_count = run->rank_count;
	to->source = source;
	to->metrics = calloc(1, sizeof(*to->metrics));
	to->metric_count = to->metrics ? 1 : 0;
	source->metrics = m;
	source->metric_count = 1;
	source->rank_count = run->node_count;
	source->threads = run->source ? run->source->threads : 0;
	source->values = values_new(
		spills ? values_directory(run->source->values) : ".", MEMORY);
	source->order = numbers(run->node_count);
	m->nodes = numbers(run->rank_count);
	m->first = numbers(run->rank_count);
	if (to->metrics)
		to->metrics->first =
			calloc(run->rank_count + 2, sizeof(uint64_t));
	if (!to->metrics || !to->metrics->first || !source->values ||
	    !source->order || !m->nodes || !m->first) {
		transpose_free(to);
		return NULL;
	}
	to->metrics->merge = run->metrics[metric].merge;
	return to;
}

int transpose_add(struct run *to, const uint32_t *ranks, const uint64_t *values,
		  size_t count, uint32_t node)
{
	struct run_source *source = to->source;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		err = values_add(source->values, &source->metrics->streams,
				 ranks[i], node, values[i]);
		to->metrics->first[ranks[i] + 1]++;
	}
	return err;
}

/* A rank may have no value of the metric, and then it has no stream. */
void transpose_finish(struct run *to)
{
	struct source_metric *m = to->source->metrics;
	uint32_t streams = 0;

	for (uint32_t i = 0; i < to->node_count; i++) {
		to->metrics->first[i + 1] += to->metrics->first[i];
		m->first[i] = streams;
		if (value_streams_has(&m->streams, i))
			m->nodes[streams++] = i;
	}
	m->first[to->node_count] = streams;
}

void transpose_free(struct run *to)
{
	run_free(to);
}
