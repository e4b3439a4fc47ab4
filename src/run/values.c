/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c - values by node and by rank, from where they are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/values.h"
#include "profile/store/store.h"

enum {
	PART_VALUES = 1 << 17, /* unpacked at once, of a merge; and … */
	PART_NODES = 64        /* … nodes, else */
};

/* NULL: out of memory. */
static uint32_t *copy_indices(const uint32_t *from, size_t count)
{
	uint32_t *to = calloc(count + 1, sizeof(*to));

	if (to && count)
		memcpy(to, from, count * sizeof(*to));
	return to;
}

struct run_source *run_source_new(size_t metrics,
				  const struct run_source_names *names)
{
	struct run_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->became = copy_indices(names->became, names->nodes);
	source->order = copy_indices(names->order, names->processes);
	source->metric_of = copy_indices(names->metric_of, names->metrics);
	source->process_count = names->processes;
	source->metrics = calloc(metrics + 1, sizeof(*source->metrics));
	source->metric_count = metrics;
	if (source->became && source->order && source->metric_of &&
	    source->metrics)
		return source;
	run_source_free(source);
	return NULL;
}

static void forget_records(struct run_source *source)
{
	records_free(source->records);
	free(source->became);
	free(source->order);
	free(source->metric_of);
	source->records = NULL;
	source->became = source->order = source->metric_of = NULL;
}

void run_source_free(struct run_source *source)
{
	if (!source)
		return;
	for (size_t i = 0; source->metrics && i < source->metric_count; i++) {
		free(source->metrics[i].parts);
		store_column_close(source->metrics[i].rows);
		value_columns_fini(&source->metrics[i].by_node);
		value_columns_fini(&source->metrics[i].by_rank);
		free(source->metrics[i].first_by_rank);
	}
	forget_records(source);
	tiles_free(source->tiles);
	store_close(source->store);
	free(source->metrics);
	free(source);
}

/*
 * Tiles.
 */

/* Whole pieces, of PART_VALUES in all but for one that has more. */
static int make_parts(const struct run *run, const uint64_t *first,
		      struct source_metric *m)
{
	size_t pieces = run->node_count / PIECE_NODES + 1, begin = 0;

	m->parts = calloc(pieces + 1, sizeof(*m->parts));
	if (!m->parts)
		return no_memory();
	for (size_t n = 0; n < run->node_count; n += PIECE_NODES) {
		size_t end = n + PIECE_NODES < run->node_count
				     ? n + PIECE_NODES
				     : run->node_count;

		if (!n || first[end] - first[begin] > PART_VALUES) {
			m->parts[m->part_count++] = (uint32_t)n;
			begin = n;
		}
	}
	m->parts[m->part_count] = (uint32_t)run->node_count;
	return 0;
}

int values_arrange(struct run *run)
{
	struct run_source *source = run->source;
	struct tiles_names names = { .became = source->became,
				     .order = source->order,
				     .metric_of = source->metric_of };
	int err = 0;

	source->tiles =
		tiles_make(run, source->records, &names, source->threads);
	if (!source->tiles)
		return -EIO; /* the reason is there */
	forget_records(source);
	for (size_t i = 0; i < run->metric_count && !err; i++)
		err = make_parts(run, run->metrics[i].first,
				 &source->metrics[i]);
	return err;
}

static bool metric_is_in_tiles(const struct run *run, size_t metric)
{
	return !values_in_memory(run, metric) && run->source->tiles;
}

size_t values_part_count(const struct run *run, size_t metric)
{
	return metric_is_in_tiles(run, metric)
		       ? run->source->metrics[metric].part_count
		       : (run->node_count + PART_NODES - 1) / PART_NODES;
}

void values_part(const struct run *run, size_t metric, size_t part,
		 size_t *from, size_t *end)
{
	const uint32_t *parts;

	if (metric_is_in_tiles(run, metric)) {
		parts = run->source->metrics[metric].parts + part;
		*from = parts[0];
		*end = parts[1];
		return;
	}
	*from = part * PART_NODES;
	*end = *from + PART_NODES;
	if (*end > run->node_count)
		*end = run->node_count;
}

static size_t part_with_node(const struct source_metric *m, size_t node)
{
	size_t low = 0, high = m->part_count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (m->parts[middle] <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* True: the buffer has it.  Else it will have, unless that fails. */
static bool is_value_there(struct value_buffer *b,
			   const struct source_metric *of, size_t number,
			   bool by_rank)
{
	if (b->tile_of == of && b->tile_number == number &&
	    b->tile_is_by_rank == by_rank)
		return true;
	b->tile_of = NULL;
	b->tile_number = number;
	b->tile_is_by_rank = by_rank;
	return false;
}

static void point_to_row(const struct value_buffer *b, size_t row,
			 const struct run_value **at, size_t *count)
{
	*at = b->tile.at + b->tile.first[row];
	*count = b->tile.first[row + 1] - b->tile.first[row];
}

static int node_of_tiles(const struct run *run, size_t metric, size_t node,
			 struct value_buffer *b, const struct run_value **at,
			 size_t *count)
{
	const struct source_metric *m = &run->source->metrics[metric];
	size_t part = part_with_node(m, node);
	int err = 0;

	if (!is_value_there(b, m, part, false))
		err = tiles_nodes(run->source->tiles, run, metric,
				  m->parts[part], m->parts[part + 1], &b->tile);
	if (err)
		return err;
	b->tile_of = m;
	point_to_row(b, node - m->parts[part], at, count);
	return 0;
}

static int rank_of_tiles(const struct run *run, size_t metric, size_t rank,
			 struct value_buffer *b, const struct run_value **at,
			 size_t *count)
{
	const struct source_metric *m = &run->source->metrics[metric];
	size_t tile = rank / TILE_RANKS;
	int err = 0;

	if (!is_value_there(b, m, tile, true))
		err = tile_by_rank(run->source->tiles, metric, tile, &b->tile);
	if (err)
		return err;
	b->tile_of = m;
	point_to_row(b, rank % TILE_RANKS, at, count);
	return 0;
}

void value_buffer_fini(struct value_buffer *buffer)
{
	free(buffer->at);
	value_part_free(buffer->part);
	tile_values_fini(&buffer->tile);
	*buffer = (struct value_buffer){ 0 };
}

int values_of_node(const struct run *run, size_t metric, size_t node,
		   struct value_buffer *buffer, const struct run_value **at,
		   size_t *count)
{
	const struct run_metric *m = &run->metrics[metric];
	int err;

	if (values_in_memory(run, metric)) {
		*at = m->values ? m->values + m->first[node] : NULL;
		*count = m->first[node + 1] - m->first[node];
		return 0;
	}
	if (run->source->tiles)
		return node_of_tiles(run, metric, node, buffer, at, count);
	err = values_read(run->source->store,
			  &run->source->metrics[metric].by_node, node, buffer,
			  count);
	*at = buffer->at;
	return err;
}

int values_add_up(const struct run *run, const struct run_metric *metric,
		  size_t node, struct value_buffer *buffer, uint64_t *sums)
{
	const struct run_value *values;
	size_t count;
	int err;

	if (metric->idle && metric->idle->nodes[node])
		return 0;
	err = values_of_node(run, (size_t)(metric - run->metrics), node, buffer,
			     &values, &count);
	for (size_t i = 0; i < count && !err; i++)
		sums[values[i].rank] += values[i].value;
	return err;
}

/*
 * One rank's.
 */

static int add_value(struct value_buffer *b, size_t *count, uint32_t node,
		     uint64_t value)
{
	int err = value_buffer_reach(b, *count + 1);

	if (!err)
		b->at[(*count)++] = (struct run_value){ node, value };
	return err;
}

/* Node by node. */
static int look_for_value(const struct run *run, size_t metric, size_t rank,
			  struct value_buffer *to, size_t *count)
{
	struct value_buffer buffer = { 0 };
	int err = 0;

	*count = 0;
	for (size_t n = 0; n < run->node_count && !err; n++) {
		const struct run_value *values;
		size_t values_count;

		err = values_of_node(run, metric, n, &buffer, &values,
				     &values_count);
		for (size_t i = 0; i < values_count && !err; i++)
			if (values[i].rank == rank)
				err = add_value(to, count, (uint32_t)n,
						values[i].value);
	}
	value_buffer_fini(&buffer);
	return err;
}

int values_of_rank(const struct run *run, size_t metric, size_t rank,
		   struct value_buffer *buffer, const struct run_value **at,
		   size_t *count)
{
	struct value_columns *c =
		run->source && run->source->store
			? &run->source->metrics[metric].by_rank
			: NULL;
	int err;

	if (metric_is_in_tiles(run, metric))
		return rank_of_tiles(run, metric, rank, buffer, at, count);
	err = c && c->key
		      ? values_read(run->source->store, c, rank, buffer, count)
		      : look_for_value(run, metric, rank, buffer, count);
	*at = buffer->at;
	return err;
}
