/* SPDX-License-Identifier: BSD-3-Clause */
/* loops.c - the loops of the source, by what was spent in them. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/paths/paths.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"

/* A loop of the source: it may stand in many call paths. */
struct loop {
	uint32_t node;         /* one of its nodes */
	uint32_t depth;        /* loops around it in its function, and 1 */
	double own, inclusive; /* its own: without inner loops and calls */
};

struct loop_totals {
	const struct run *run;
	struct loop *at;
	uint32_t *of; /* a node's loop, MAP_NONE: it is none */
	double *sums; /* of nodes, inclusive */
	size_t count;
	double total;
};

/* By function, module, file, first and last line. */
static int number_loops(struct loop_totals *l)
{
	struct map map = { 0 }, places = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < l->run->node_count && !err; i++) {
		const struct run_node *n = &l->run->nodes[i];
		uint32_t fresh = (uint32_t)l->count, place;

		l->of[i] = MAP_NONE;
		if (n->kind != RUN_LOOP)
			continue;
		place = map_put(&places, (uint64_t)n->line << 32 | n->detail,
				n->file, (uint32_t)places.count);
		l->of[i] =
			map_put(&map, (uint64_t)n->function << 32 | n->module,
				place, fresh);
		if (place == MAP_NONE || l->of[i] == MAP_NONE)
			err = no_memory();
		else if (l->of[i] == fresh)
			l->at[l->count++] = (struct loop){ .node = i };
	}
	map_fini(&map);
	map_fini(&places);
	return err;
}

/* True when no loop above is the same: a recursive function is counted once. */
static bool is_first(const struct loop_totals *l, uint32_t node)
{
	for (uint32_t up = node; up;) {
		up = l->run->nodes[up].parent;
		if (l->of[up] == l->of[node])
			return false;
	}
	return true;
}

static uint32_t depth_of(const struct run *run, uint32_t node)
{
	uint32_t depth = 0;

	for (; run->nodes[node].kind == RUN_LOOP; depth++)
		node = run->nodes[node].parent;
	return depth;
}

static void add_loop_values(struct loop_totals *l,
			    const struct run_metric *metric)
{
	const struct run *run = l->run;

	for (uint32_t i = (uint32_t)run->node_count; i-- > 0;) {
		double value = value_node(metric, i);
		uint32_t parent = run->nodes[i].parent;
		bool line = run->nodes[i].kind == RUN_LINE;

		l->total += value;
		l->sums[i] += value;
		if (i)
			l->sums[parent] += l->sums[i];
		if (l->of[line ? parent : i] != MAP_NONE)
			l->at[l->of[line ? parent : i]].own += value;
		if (l->of[i] == MAP_NONE)
			continue;
		l->at[l->of[i]].depth = depth_of(run, i);
		if (is_first(l, i))
			l->at[l->of[i]].inclusive += l->sums[i];
	}
}

ORDER_BY(by_loop_value, struct loop, DESC(inclusive) ?: ASC(depth) ?: ASC(node))

static void loop_columns(struct report *report, const struct run_metric *metric)
{
	report_column(report, "function", "function", COLUMN_TEXT);
	report_column(report, "module", NULL, COLUMN_LEFT_TEXT);
	report_column(report, NULL, "loop", COLUMN_LEFT_TEXT);
	report_column(report, "file", NULL, COLUMN_LEFT_TEXT);
	report_column(report, "first_line", NULL, COLUMN_COUNT);
	report_column(report, "last_line", NULL, COLUMN_COUNT);
	report_column(report, "depth", "depth", COLUMN_COUNT);
	value_column(report, "inclusive", "inclusive", metric);
	report_column(report, "inclusive_share", "share", COLUMN_SHARE);
	value_column(report, "exclusive", "exclusive", metric);
	report_column(report, "share", "share", COLUMN_SHARE);
}

/* "solve.c:42-57" */
static void put_loop_place(struct report *report, const struct run *run,
			   const struct run_node *n)
{
	char *first = paths_place(run, n->file, n->line);
	char *text = first ? str_format("%s-%u", first, n->detail) : NULL;

	report_text(report, text);
	free(first);
	free(text);
}

static void loop_row(struct report *report, const struct loop_totals *l,
		     const struct run_metric *metric, const struct loop *loop)
{
	const struct run_node *n = &l->run->nodes[loop->node];

	report_text(report, str_at(&l->run->strings, n->function));
	report_text(report, str_at(&l->run->strings, n->module));
	put_loop_place(report, l->run, n);
	report_text(report, str_at(&l->run->strings, n->file));
	report_count(report, n->line);
	report_count(report, n->detail);
	report_count(report, loop->depth);
	value_cell(report, metric->unit, loop->inclusive);
	report_number(report, value_ratio(loop->inclusive, l->total));
	value_cell(report, metric->unit, loop->own);
	report_number(report, value_ratio(loop->own, l->total));
}

static struct report *make_loop_report(const struct loop_totals *l,
				       const struct run_metric *metric,
				       const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, 20, l->count);
	struct report *report = analysis_report("loops", l->run, metric);

	if (!report)
		return NULL;
	if (!l->count)
		report_line(report,
			    "No loops: they are found in programs with debug "
			    "information, where copse merge looks for them.");
	report_table(report, "loops", "loops");
	loop_columns(report, metric);
	for (size_t i = 0; i < l->count && i < limit; i++)
		if (l->at[i].inclusive > 0)
			loop_row(report, l, metric, &l->at[i]);
	return report;
}

static int run_loops(struct report **to, const struct run *const runs[],
		     const struct analysis_options *options)
{
	struct loop_totals l = { .run = runs[0] };
	const struct run_metric *metric;
	int err = analysis_one_run(runs, "loops");

	if (err)
		return err;
	metric = analysis_metric(runs[0], options, NULL);
	if (!metric)
		return -EINVAL;
	l.at = calloc(l.run->node_count + 1, sizeof(*l.at));
	l.of = calloc(l.run->node_count + 1, sizeof(*l.of));
	l.sums = calloc(l.run->node_count + 1, sizeof(*l.sums));
	err = l.at && l.of && l.sums ? number_loops(&l) : no_memory();
	if (!err) {
		add_loop_values(&l, metric);
		qsort(l.at, l.count, sizeof(*l.at), by_loop_value);
		*to = make_loop_report(&l, metric, options);
		if (*to)
			idle_threads_say(*to, runs, metric->name);
		err = *to ? report_error(*to) : no_memory();
	}
	free(l.at);
	free(l.of);
	free(l.sums);
	return err;
}

const struct analysis analysis_loops = {
	.name = "loops",
	.help = "loops of the source by inclusive value",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE,
	.run = run_loops,
};
