/* SPDX-License-Identifier: BSD-3-Clause */
/* heap-use.c - see heap-use.h. */
#include "analyse/ranks/heap-use.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/base/value.h"
#include "analyse/paths/own-paths.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "live/layout.h"
#include "run/values.h"

#define NS  1e9
#define KIB 1024.0

static const struct run_metric *heap_metric(const struct run *run,
					    enum heap_value value)
{
	return run_metric(run, metric_infos[METRIC_HEAP_SAMPLES + value].name);
}

struct heap_node {
	uint32_t row, node;
};

/* While it is gathered: the nodes of each row, and what each rank has of it. */
struct heap_gather {
	struct heap_use *use;
	struct heap_node *nodes;
	size_t count;
	struct map paths;
	struct value_buffer buffer;
	double *of_ranks;
};

ORDER_BY(by_heap_row, struct heap_node, ASC(row) ?: ASC(node))

static int find_heap_rows(struct heap_gather *g)
{
	const struct paths *paths = g->use->paths;
	const struct run *run = paths->run;
	const struct run_metric *samples = heap_metric(run, HEAP_SAMPLES);

	for (uint32_t n = 0; n < run->node_count; n++) {
		uint32_t path, at;

		if (!(samples->stats[n].sum > 0))
			continue;
		path = paths_own(paths, paths->of[n]);
		at = map_put(&g->paths, path, 0, (uint32_t)g->use->count);
		if (at == MAP_NONE)
			return no_memory();
		if (at == g->use->count)
			g->use->at[g->use->count++].path = path;
		g->nodes[g->count++] = (struct heap_node){ at, n };
	}
	if (g->count)
		qsort(g->nodes, g->count, sizeof(*g->nodes), by_heap_row);
	return 0;
}

static void add_heap_values(struct heap_gather *g, enum heap_value value)
{
	const struct run_metric *m = heap_metric(g->use->paths->run, value);

	for (size_t i = 0; m && i < g->count; i++) {
		double is = value_node(m, g->nodes[i].node);

		g->use->at[g->nodes[i].row].values[value] += is;
		g->use->total.values[value] += is;
	}
}

static int add_ranks_of_node(struct heap_gather *g, const struct run_metric *m,
			     uint32_t node)
{
	const struct run *run = g->use->paths->run;
	const struct run_value *at;
	size_t count = 0;
	int err = values_of_node(run, (size_t)(m - run->metrics), node,
				 &g->buffer, &at, &count);

	for (size_t i = 0; i < count && !err; i++)
		g->of_ranks[at[i].rank] += (double)at[i].value;
	return err;
}

/* The one with most; they are 0 again.  held: their sum over rows, or NULL. */
static void take_most_of_ranks(struct heap_gather *g, uint32_t *rank,
			       double *most, double *held)
{
	for (uint32_t r = 0; r < g->use->paths->run->rank_count; r++) {
		if (g->of_ranks[r] > *most) {
			*most = g->of_ranks[r];
			*rank = r;
		}
		if (held)
			held[r] += g->of_ranks[r];
		g->of_ranks[r] = 0;
	}
}

static int find_heap_ranks(struct heap_gather *g, enum heap_value value)
{
	const struct run_metric *m = heap_metric(g->use->paths->run, value);
	struct heap_use *use = g->use;
	int err = 0;

	for (size_t i = 0; m && i < g->count && !err; i++) {
		struct heap_row *row = &use->at[g->nodes[i].row];

		err = add_ranks_of_node(g, m, g->nodes[i].node);
		if (i + 1 < g->count && g->nodes[i + 1].row == g->nodes[i].row)
			continue;
		if (value == HEAP_GROWTH)
			take_most_of_ranks(g, &row->grows_rank, &row->grows,
					   NULL);
		else
			take_most_of_ranks(g, &row->holds_rank, &row->holds,
					   use->held);
	}
	return err;
}

ORDER_BY(by_heap_bytes, struct heap_row,
	 DESC(values[HEAP_AT_PEAK]) ?: DESC(values[HEAP_ALLOCATED]) ?:
	 ASC(path))

static int gather_heap(struct heap_use *use)
{
	const struct run *run = use->paths->run;
	struct heap_gather g = { .use = use };
	int err;

	g.nodes = calloc(run->node_count + 1, sizeof(*g.nodes));
	g.of_ranks = calloc(run->rank_count + 1, sizeof(*g.of_ranks));
	err = g.nodes && g.of_ranks ? find_heap_rows(&g) : no_memory();
	for (int v = 0; v < HEAP_VALUES && !err; v++)
		add_heap_values(&g, (enum heap_value)v);
	if (!err)
		err = find_heap_ranks(&g, HEAP_AT_PEAK);
	if (!err)
		err = find_heap_ranks(&g, HEAP_GROWTH);
	if (!err && use->count)
		qsort(use->at, use->count, sizeof(*use->at), by_heap_bytes);
	value_buffer_fini(&g.buffer);
	map_fini(&g.paths);
	free(g.nodes);
	free(g.of_ranks);
	return err;
}

int heap_use_init(struct heap_use *to, const struct paths *paths)
{
	const struct run *run = paths->run;
	int err;

	*to = (struct heap_use){ .paths = paths };
	if (!heap_metric(run, HEAP_SAMPLES))
		return 0;
	to->at = calloc(run->node_count + 1, sizeof(*to->at));
	to->held = calloc(run->rank_count + 1, sizeof(*to->held));
	err = to->at && to->held ? gather_heap(to) : no_memory();
	for (size_t r = 0; r < run->rank_count; r++)
		if (run->ranks[r].heap_interval > to->interval)
			to->interval = run->ranks[r].heap_interval;
	if (err)
		heap_use_fini(to);
	return err;
}

void heap_use_fini(struct heap_use *use)
{
	free(use->at);
	free(use->held);
	*use = (struct heap_use){ 0 };
}

double heap_use_margin(const struct heap_row *row, enum heap_value variance)
{
	double unit = variance == HEAP_ALLOCATIONS_ERROR ? 1 : KIB;

	return 1.96 * unit * sqrt(row->values[variance]);
}

double heap_use_each_second(const struct run *run, uint32_t rank, double growth)
{
	return value_ratio(growth, (double)run->ranks[rank].elapsed_ns / NS);
}

double heap_use_iteration(const struct run *run, uint32_t rank)
{
	const struct run_iteration_rank *r = run_iterations_of(run, rank);
	double us = 0;

	for (uint32_t i = 0; r && i < r->count; i++)
		us += run->iterations.rows[r->first + i].us;
	return r ? value_ratio(us / 1e6, (double)r->iterations) : 0;
}

const struct heap_row *heap_use_excess(const struct heap_use *use,
				       uint32_t rank, double least)
{
	double others = (double)use->paths->run->member_count - 1;
	const struct heap_row *most = NULL;

	for (size_t i = 0; i < use->count; i++) {
		const struct heap_row *row = &use->at[i];
		double rest = row->values[HEAP_AT_PEAK] - row->holds;
		double more = row->holds - value_ratio(rest, others);

		if (row->holds_rank == rank && more >= least) {
			least = more;
			most = row;
		}
	}
	return most;
}
