/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.c - values go from who read them to who owns them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "merge/packed.h"
#include "merge/spread.h"
#include "merge/work.h"

enum {
	NODES_AT_ONCE = 64,
	BUNDLES_AT_ONCE = 4 /* of each process, in one exchange */
};

/*
 * How many values each node has.
 */

struct counting_values {
	struct run *run;
	size_t metric;
};

static int count_nodes(void *of, size_t i, void **item)
{
	const struct counting_values *c = of;
	uint64_t *first = c->run->metrics[c->metric].first;
	struct value_buffer buffer = { 0 };
	size_t node = i * NODES_AT_ONCE, end = node + NODES_AT_ONCE, count;
	const struct run_value *values;
	int err = 0;

	(void)item;
	for (; node < end && node < c->run->node_count && !err; node++) {
		err = values_of_node(c->run, c->metric, node, &buffer, &values,
				     &count);
		first[node + 1] = err ? 0 : count;
	}
	value_buffer_fini(&buffer);
	return err;
}

static int count_taken(void *of, size_t i, void *item)
{
	(void)of, (void)i, (void)item;
	return 0;
}

static int count_metric(struct run *run, struct team *team, size_t metric)
{
	struct counting_values c = { run, metric };
	struct work work = { .count = run->node_count / NODES_AT_ONCE + 1,
			     .make = count_nodes,
			     .take = count_taken,
			     .of = &c };
	uint64_t *first = calloc(run->node_count + 1, sizeof(*first));
	int err;

	run->metrics[metric].first = first;
	if (!first)
		return fail(-ENOMEM, "out of memory");
	err = work_run(&work, run->source->threads);
	if (!err)
		err = team->sum(team, first + 1, run->node_count);
	for (size_t i = 0; i < run->node_count; i++)
		first[i + 1] += first[i];
	return err;
}

/*
 * The exchange.
 */

struct spreading {
	const struct run *run;
	struct team *team;
	struct run_source *to;
	struct blob *out, *in; /* one for each process */
	struct value_buffer buffer;
	size_t metric, node; /* the next to be sent */
};

/* A node: its number, how many values, and these as in values.c. */
static void put_node(struct blob *to, size_t node,
		     const struct run_value *values, size_t count)
{
	uint8_t *at = blob_reach(to, 2 * (count + 1) * PACKED_MOST);
	uint32_t last = 0;

	if (!at)
		return;
	at = packed_put(packed_put(at, node), count);
	for (size_t i = 0; i < count; i++) {
		at = packed_put(packed_put(at, values[i].rank - last),
				values[i].value);
		last = values[i].rank;
	}
	to->size = (size_t)(at - (uint8_t *)to->at);
}

static int send_node(struct spreading *s, size_t node)
{
	const uint64_t *first = s->run->metrics[s->metric].first;
	uint64_t begin = first[node] / VALUES_BUNDLE;
	uint64_t end = (first[node + 1] - 1) / VALUES_BUNDLE;
	const struct run_value *values;
	size_t count;
	int err = values_of_node(s->run, s->metric, node, &s->buffer, &values,
				 &count);

	if (err || !count)
		return err;
	for (int i = 0; i < s->team->size && begin <= end; i++, begin++) {
		int owner = spread_owner(s->team, s->metric, begin);

		put_node(&s->out[owner], node, values, count);
		if (!err)
			err = blob_error(&s->out[owner]);
	}
	return err;
}

/* In the order of the processes, which mostly is that of the ranks. */
static int take_nodes(struct spreading *s, const struct blob *in)
{
	const uint8_t *at = (const uint8_t *)in->at;
	const uint8_t *end = in->size ? at + in->size : at;
	struct value_streams *to = &s->to->metrics[s->metric].streams;
	int err = 0;

	while (at < end && !err) {
		uint64_t node, count, step, value;
		uint32_t rank = 0;

		at = packed_get(packed_get(at, &node), &count);
		for (uint64_t i = 0; i < count && !err; i++) {
			at = packed_get(packed_get(at, &step), &value);
			rank += (uint32_t)step;
			err = values_add(s->to->values, to, (uint32_t)node,
					 rank, value);
		}
	}
	return err;
}

/* The nodes that begin before value `end` of the metric. */
static int exchange(struct spreading *s, uint64_t end)
{
	const uint64_t *first = s->run->metrics[s->metric].first;
	int err = 0;

	for (int i = 0; i < s->team->size; i++)
		blob_clear(&s->out[i]);
	for (; s->node < s->run->node_count && first[s->node] < end && !err;
	     s->node++)
		if (first[s->node] < first[s->node + 1])
			err = send_node(s, s->node);
	if (!err)
		err = s->team->exchange(s->team, s->out, s->in);
	for (int i = 0; i < s->team->size && !err; i++)
		err = take_nodes(s, &s->in[i]);
	return err;
}

static int spread_metric(struct spreading *s, size_t metric)
{
	uint64_t all = s->run->metrics[metric].first[s->run->node_count];
	uint64_t step =
		VALUES_BUNDLE * BUNDLES_AT_ONCE * (uint64_t)s->team->size;
	int err = 0;

	s->metric = metric;
	s->node = 0;
	for (uint64_t end = step; end < all + step && !err; end += step)
		err = exchange(s, end);
	return err;
}

static uint32_t *identity(size_t count)
{
	uint32_t *same = calloc(count + 1, sizeof(*same));

	for (size_t i = 0; i < count && same; i++)
		same[i] = (uint32_t)i;
	return same;
}

static struct run_source *source_new(const struct run *run,
				     const char *directory)
{
	uint32_t *order = identity(run->rank_count);
	struct run_source *source =
		order ? run_source_new(run->metric_count, order,
				       run->rank_count, run->rank_count)
		      : NULL;

	free(order);
	if (source)
		source->values = values_new(directory, VALUES_MEMORY);
	if (source && source->values)
		return source;
	run_source_free(source);
	fail(-ENOMEM, "out of memory");
	return NULL;
}

static int list_owned(const struct run *run, struct run_source *source)
{
	uint32_t *same = identity(run->node_count);
	int err = same ? 0 : fail(-ENOMEM, "out of memory");

	for (size_t i = 0; i < run->metric_count && !err; i++)
		err = source_metric_list(&source->metrics[i], same,
					 run->node_count, run->node_count);
	free(same);
	return err;
}

static int spread_all(struct spreading *s)
{
	size_t size = (size_t)s->team->size;
	int err = -ENOMEM;

	s->out = calloc(size, sizeof(*s->out));
	s->in = calloc(size, sizeof(*s->in));
	if (s->out && s->in)
		err = 0;
	else
		fail(err, "out of memory");
	for (size_t i = 0; i < s->run->metric_count && !err; i++)
		err = spread_metric(s, i);
	for (size_t i = 0; i < size && s->out && s->in; i++) {
		blob_fini(&s->out[i]);
		blob_fini(&s->in[i]);
	}
	free(s->out);
	free(s->in);
	value_buffer_fini(&s->buffer);
	return err;
}

int spread_values(struct run *run, struct team *team, const char *directory)
{
	struct spreading s = { .run = run, .team = team };
	int err = 0;

	for (size_t i = 0; i < run->metric_count && !err; i++)
		err = count_metric(run, team, i);
	if (err)
		return err;
	s.to = source_new(run, directory);
	if (!s.to)
		return -ENOMEM;
	s.to->team = team;
	s.to->threads = run->source->threads;
	err = spread_all(&s);
	if (!err)
		err = list_owned(run, s.to);
	run_source_free(run->source);
	run->source = s.to;
	return err;
}
