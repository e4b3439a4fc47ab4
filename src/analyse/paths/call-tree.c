/* SPDX-License-Identifier: BSD-3-Clause */
/* call-tree.c - the call tree, from the root down or from the functions up. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/paths/paths.h"
#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"

/* A tree to be shown; node 0 is not, and parents come before children. */
struct branch {
	uint32_t parent;
	uint32_t node; /* of the run: its name */
	bool place;    /* its line is known and the only one */
	double inclusive, exclusive;
};

struct branches {
	const struct run *run;
	struct branch *at;
	size_t count, room;
};

/* The new branch's index, or MAP_NONE with a reason. */
static uint32_t add_branch(struct branches *b, struct branch branch)
{
	if (!array_append(&b->at, &b->count, &b->room, sizeof(branch), &branch))
		return MAP_NONE;
	return (uint32_t)b->count - 1;
}

static int top_down(struct branches *b, const struct paths *paths,
		    const double *exclusive, const double *inclusive)
{
	for (size_t i = 0; i < paths->count; i++) {
		const struct path *p = &paths->at[i];

		if (add_branch(b,
			       (struct branch){
				       .parent = p->parent,
				       .node = p->node,
				       .place = p->one_line && p->parent,
				       .exclusive = exclusive[i],
				       .inclusive = inclusive[i] }) == MAP_NONE)
			return -ENOMEM;
	}
	/* What has no call path at all hangs on the root, which is hidden. */
	if (exclusive[0] > 0 &&
	    add_branch(b, (struct branch){ .inclusive = exclusive[0],
					   .exclusive = exclusive[0] }) ==
		    MAP_NONE)
		return -ENOMEM;
	return 0;
}

/* A path's own value, given to its function and to each chain of callers. */
static int climb_callers(struct branches *b, struct map *map,
			 const struct paths *paths, uint32_t path, double value)
{
	const struct run_node *nodes = paths->run->nodes;
	uint32_t at = 0;

	for (;; path = paths->at[path].parent) {
		uint32_t node = paths->at[path].node, next;

		next = map_put(map, (uint64_t)at << 32 | nodes[node].function,
			       (uint64_t)nodes[node].module << 32 |
				       nodes[node].kind,
			       (uint32_t)b->count);
		if (next == b->count)
			next = add_branch(b, (struct branch){ .parent = at,
							      .node = node });
		if (next == MAP_NONE)
			return no_memory();
		at = next;
		b->at[at].inclusive += value;
		if (!paths->at[path].parent)
			break;
	}
	b->at[at].exclusive += value;
	return 0;
}

static int bottom_up(struct branches *b, const struct paths *paths,
		     const double *exclusive)
{
	struct map map = { 0 };
	int err = 0;

	if (add_branch(b, (struct branch){ 0 }) == MAP_NONE)
		return -ENOMEM;
	for (uint32_t i = 0; i < paths->count && !err; i++) {
		b->at[0].inclusive += exclusive[i];
		if (exclusive[i] > 0)
			err = climb_callers(b, &map, paths, i, exclusive[i]);
	}
	map_fini(&map);
	return err;
}

ORDER_BY(compare_values, double, ORDER(*b, *a))

/*
 * What is shown: values above `least`, and `ties` of those that equal it.  A
 * caller's value is never less than its callee's and a caller comes before
 * it, so what is shown is connected.
 */
struct threshold {
	double least;
	size_t ties;
};

/* At most `limit` branches besides the root, which takes no row. */
static struct threshold by_count(const struct branches *b, size_t limit)
{
	struct threshold t = { .ties = SIZE_MAX };
	double *values = calloc(b->count, sizeof(*values));

	if (!values || limit + 1 >= b->count) {
		free(values);
		return t;
	}
	for (size_t i = 1; i < b->count; i++)
		values[i - 1] = b->at[i].inclusive;
	qsort(values, b->count - 1, sizeof(*values), compare_values);
	t.least = values[limit];
	t.ties = limit;
	for (size_t i = 0; i < limit && values[i] > t.least; i++)
		t.ties--;
	free(values);
	return t;
}

static bool is_branch_shown(const struct branch *b, double prune,
			    struct threshold *t)
{
	if (b->inclusive <= 0 || b->inclusive < prune ||
	    b->inclusive < t->least)
		return false;
	if (b->inclusive > t->least)
		return true;
	return t->ties && t->ties--;
}

struct child {
	uint32_t parent, index;
	double inclusive;
};

ORDER_BY(compare_children, struct child,
	 ASC(parent) ?: DESC(inclusive) ?: ASC(index))

static void emit_branch(struct report *report, const struct branches *b,
			uint32_t index, uint32_t depth)
{
	const struct branch *br = &b->at[index];
	const struct run_node *n = &b->run->nodes[br->node];
	char *place = br->place ? paths_place(b->run, n->file, n->line) : NULL;

	report_tree(report, depth, paths_function(b->run, br->node), place,
		    br->inclusive, br->exclusive,
		    value_ratio(br->inclusive, b->at[0].inclusive));
	free(place);
}

/*
 * Give each shown branch its place among its sorted siblings, then write them
 * depth first: `sorted` is by parent, so the first[] of a parent lead to its
 * children; `next` runs through them.
 */
static void write_call_tree(struct report *report, const struct branches *b,
			    const struct child *sorted, size_t count,
			    uint32_t *next, uint32_t *stack)
{
	size_t depth = 1;

	for (size_t i = count; i-- > 0;)
		next[sorted[i].parent] = (uint32_t)i + 1;
	stack[0] = 0;
	while (depth) {
		uint32_t parent = stack[depth - 1], c = next[parent];

		if (!c || c > count || sorted[c - 1].parent != parent) {
			depth--;
			continue;
		}
		next[parent]++;
		emit_branch(report, b, sorted[c - 1].index,
			    (uint32_t)depth - 1);
		stack[depth++] = sorted[c - 1].index;
	}
}

static int show_tree(struct report *report, const struct branches *b,
		     const struct analysis_options *options)
{
	struct threshold t = by_count(b, analysis_limit(options, 50, b->count));
	double prune = options->prune * b->at[0].inclusive, hidden = 0;
	struct child *sorted = calloc(b->count, sizeof(*sorted));
	uint32_t *next = calloc(b->count, sizeof(*next));
	uint32_t *stack = calloc(b->count + 1, sizeof(*stack));
	size_t count = 0;
	int err = 0;

	if (!sorted || !next || !stack) {
		err = no_memory();
		goto out;
	}
	for (uint32_t i = 1; i < b->count; i++) {
		const struct branch *br = &b->at[i];

		if (is_branch_shown(br, prune, &t))
			sorted[count++] =
				(struct child){ br->parent, i, br->inclusive };
		else
			hidden += br->exclusive;
	}
	qsort(sorted, count, sizeof(*sorted), compare_children);
	write_call_tree(report, b, sorted, count, next, stack);
	if (hidden > 0)
		report_note(report,
			    "%.1f %% is in calls too small to show "
			    "(--limit, --prune).",
			    100 * value_ratio(hidden, b->at[0].inclusive));
out:
	free(sorted);
	free(next);
	free(stack);
	return err;
}

static int build_branches(struct branches *b, const struct paths *paths,
			  const struct run_metric *metric, bool up)
{
	double *exclusive = calloc(paths->count + 1, sizeof(*exclusive));
	double *inclusive = calloc(paths->count + 1, sizeof(*inclusive));
	int err = -ENOMEM;

	if (exclusive && inclusive) {
		paths_values(paths, metric, exclusive, inclusive);
		err = up ? bottom_up(b, paths, exclusive)
			 : top_down(b, paths, exclusive, inclusive);
	} else {
		no_memory();
	}
	free(exclusive);
	free(inclusive);
	return err;
}

static int run_tree(struct report **to, const struct run *const runs[],
		    const struct analysis_options *options)
{
	const struct run_metric *metric;
	struct branches b = { .run = runs[0] };
	struct paths paths;
	int err = analysis_one_run(runs, "tree");

	if (err)
		return err;
	metric = analysis_metric(runs[0], options, NULL);
	if (!metric)
		return -EINVAL;
	err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	err = build_branches(&b, &paths, metric, options->bottom_up);
	if (err)
		goto out;
	*to = analysis_report("tree", runs[0], metric);
	err = *to ? show_tree(*to, &b, options) : -ENOMEM;
	if (!err) {
		idle_threads_say(*to, runs, metric->name);
		err = report_error(*to);
	}
out:
	free(b.at);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_call_tree = {
	.name = "tree",
	.help = "call tree, or callers of each function (--bottom-up)",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE | ANALYSIS_TREE |
		 ANALYSIS_COLLAPSE,
	.run = run_tree,
};
