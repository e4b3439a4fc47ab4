/* SPDX-License-Identifier: BSD-3-Clause */
/* transpose.c - values by node become values by rank, in memory. */
#include <stdlib.h>

#include "base/err.h"
#include "run/values.h"

static struct run *new_run(const struct run *run, size_t metric)
{
	uint64_t count = run->metrics[metric].first[run->node_count];
	struct run *to = calloc(1, sizeof(*to));

	if (!to)
		return NULL;
	to->node_count = run->rank_count;
	to->rank_count = run->node_count;
	to->metrics = calloc(1, sizeof(*to->metrics));
	if (to->metrics) {
		to->metric_count = 1;
		to->metrics->merge = run->metrics[metric].merge;
		to->metrics->first =
			calloc(run->rank_count + 2, sizeof(uint64_t));
		to->metrics->values =
			calloc(count + 1, sizeof(*to->metrics->values));
	}
	if (to->metrics && to->metrics->first && to->metrics->values)
		return to;
	run_free(to);
	return NULL;
}

/* Each value of the run: counted, or put where first[] says. */
static int each_value(const struct run *run, size_t metric, struct run *to,
		      bool put)
{
	uint64_t *first = to->metrics->first;
	struct value_buffer buffer = { 0 };
	const struct run_value *v;
	size_t count;
	int err = 0;

	for (size_t n = 0; n < run->node_count && !err; n++) {
		err = values_of_node(run, metric, n, &buffer, &v, &count);
		for (size_t i = 0; i < count && !err; i++)
			if (put)
				to->metrics->values[first[v[i].rank + 1]++] =
					(struct run_value){ (uint32_t)n,
							    v[i].value };
			else
				first[v[i].rank + 2]++;
	}
	value_buffer_fini(&buffer);
	return err;
}

/* first[r + 1] is where rank r begins, until its values are there. */
struct run *transpose(const struct run *run, size_t metric)
{
	struct run *to = new_run(run, metric);
	int err = to ? each_value(run, metric, to, false) : no_memory();

	for (size_t i = 0; i < run->rank_count && !err; i++)
		to->metrics->first[i + 1] += to->metrics->first[i];
	if (!err)
		err = each_value(run, metric, to, true);
	if (!err)
		return to;
	run_free(to);
	return NULL;
}
