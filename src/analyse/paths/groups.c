/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * groups.c - sum a run's nodes by function or by line.
 *
 * A node's own value belongs to its own group.  Its subtree's value belongs
 * to the group of its frame: its function, or by line the
 * line of the caller that called it.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/paths/groups.h"
#include "analyse/paths/paths.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"

struct grouping {
	const struct run *run;
	const struct run_metric *metric;
	bool by_line;
	struct map map, places; /* to groups, to numbers of (file, line) */
	struct groups *groups;
	uint32_t *own, *frame; /* group of each node; frame: or MAP_NONE */
	uint32_t *open;        /* of each group: how often it is on the path */
};

/* The group of a function, in by-line groupings at a file and line. */
static uint32_t group_of_place(struct grouping *g, uint32_t node, uint32_t file,
			       uint32_t line)
{
	const struct run_node *n = &g->run->nodes[node];
	struct groups *groups = g->groups;
	uint32_t index, place = 0;

	if (g->by_line && file)
		place = map_put(&g->places, (uint64_t)file << 32 | line, 0,
				(uint32_t)g->places.count + 1);
	index = map_put(&g->map, (uint64_t)n->function << 32 | n->module, place,
			(uint32_t)groups->count);
	if (index == groups->count)
		groups->at[groups->count++] = (struct group){
			.function = n->function,
			.module = n->module,
			.file = place ? file : 0,
			.line = place ? line : 0,
			.kind = n->kind,
		};
	return index;
}

/* The groups of each node; false when out of memory. */
static bool assign_groups(struct grouping *g)
{
	const struct run *run = g->run;

	for (uint32_t i = 0; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];
		uint32_t frame = run_frame(run, i);
		bool line = n->kind == RUN_LINE;

		g->own[i] = group_of_place(g, frame, line ? n->file : 0,
					   line ? n->line : 0);
		g->frame[i] = g->own[i];
		if (n->kind == RUN_LOOP) /* part of its function's frame */
			g->frame[i] = g->frame[n->parent];
		else if (g->by_line && !line && i)
			g->frame[i] = group_of_place(
				g, run_frame(run, n->parent), n->file, n->line);
		if (g->own[i] == MAP_NONE || g->frame[i] == MAP_NONE)
			return false;
	}
	return true;
}

/* Without by_line: the line of a function where most of its value is. */
static void add_exclusive(struct grouping *g, uint32_t node, double value)
{
	const struct run_node *n = &g->run->nodes[node];
	struct group *to = &g->groups->at[g->own[node]];

	to->exclusive += value;
	if (!g->by_line && n->kind == RUN_LINE && value > to->hottest) {
		to->hottest = value;
		to->file = n->file;
		to->line = n->line;
	}
}

/*
 * Walk the tree depth first, `nodes` being its order; a group takes the value
 * of a subtree when it is not already open above it.
 */
static void add_inclusive(struct grouping *g, const uint32_t *nodes,
			  const uint32_t *end, double *sums, uint32_t *stack)
{
	size_t depth = 0;

	for (uint32_t p = 0; p < g->run->node_count; p++) {
		uint32_t i = nodes[p];

		while (depth && end[stack[depth - 1]] <= p)
			g->open[g->frame[nodes[stack[--depth]]]]--;
		if (!g->open[g->frame[i]]++)
			g->groups->at[g->frame[i]].inclusive += sums[i];
		if (!g->open[g->own[i]])
			g->groups->at[g->own[i]].inclusive +=
				value_node(g->metric, i);
		stack[depth++] = p;
	}
}

static uint32_t node_parent(const void *tree, size_t i)
{
	const struct run *run = tree;

	return run->nodes[i].parent;
}

static int inclusive_groups(struct grouping *g)
{
	size_t count = g->run->node_count;
	uint32_t *position = calloc(count + 1, sizeof(*position));
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	uint32_t *end = calloc(count + 1, sizeof(*end));
	uint32_t *stack = calloc(count + 1, sizeof(*stack));
	double *sums = calloc(count + 1, sizeof(*sums));
	int err = -ENOMEM;

	if (!position || !nodes || !end || !stack || !sums) {
		no_memory();
		goto out;
	}
	err = paths_order(count, node_parent, g->run, position, end);
	if (err)
		goto out;
	for (uint32_t i = 0; i < count; i++)
		nodes[position[i]] = i;
	for (size_t i = count; i-- > 0;) {
		double value = value_node(g->metric, i);

		add_exclusive(g, (uint32_t)i, value);
		g->groups->total += value;
		sums[i] += value;
		if (i)
			sums[g->run->nodes[i].parent] += sums[i];
	}
	add_inclusive(g, nodes, end, sums, stack);
out:
	free(position);
	free(nodes);
	free(end);
	free(stack);
	free(sums);
	return err;
}

/* Names of a run are few, so equal values keep a stable order by index. */
ORDER_BY(by_group_value, struct group,
	 DESC(exclusive) ?: DESC(inclusive) ?: ASC(function) ?: ASC(line))

int groups_init(struct groups *groups, const struct run *run,
		const struct run_metric *metric, bool by_line)
{
	size_t count = run->node_count;
	struct grouping g = { .run = run,
			      .metric = metric,
			      .by_line = by_line,
			      .groups = groups };
	int err = -ENOMEM;

	*groups = (struct groups){ .at = calloc(2 * count + 1,
						sizeof(*groups->at)) };
	g.own = calloc(count + 1, sizeof(*g.own));
	g.frame = calloc(count + 1, sizeof(*g.frame));
	g.open = calloc(2 * count + 1, sizeof(*g.open));
	if (groups->at && g.own && g.frame && g.open && assign_groups(&g))
		err = inclusive_groups(&g);
	else
		no_memory();
	if (!err)
		qsort(groups->at, groups->count, sizeof(*groups->at),
		      by_group_value);
	map_fini(&g.map);
	map_fini(&g.places);
	free(g.own);
	free(g.frame);
	free(g.open);
	if (err)
		groups_fini(groups);
	return err;
}

void groups_fini(struct groups *groups)
{
	free(groups->at);
	*groups = (struct groups){ 0 };
}
