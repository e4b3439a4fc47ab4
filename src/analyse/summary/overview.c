/* SPDX-License-Identifier: BSD-3-Clause */
/* overview.c - ask every analysis, keep what it has to say. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/summary/overview.h"
#include "base/err.h"
#include "run/values.h"

enum {
	CAUSES = 50, /* of waiting, the largest */
	SUMMARY_ROWS = 5,
	LONGEST = 12, /* iterations */
	QUICK_VALUES = 20000000,
	QUICK_NODES = 200000,
};

/* The tree stands in the overview itself; these two compare runs. */
static bool is_overview_part(const struct analysis *a)
{
	static const char *const others[] = { "tree", "scaling", "diff" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(a->name, others[i]))
			return false;
	return true;
}

/*
 * What only says that there is nothing of its kind is left out, as is that all
 * processes are of one; that nothing stands out is worth saying.  Threads have
 * a table for each kind of waiting.
 */
static bool is_report_worth_showing(const struct report *report)
{
	size_t least = strcmp(report->id, "processes") ? 1 : 2;
	size_t tables = strcmp(report->id, "threads") ? 1 : SIZE_MAX;

	for (size_t i = 0; i < report->table_count && i < tables; i++)
		if (report->tables[i].row_count >= least)
			return true;
	return !strcmp(report->id, "diagnose") || !strcmp(report->id, "ranks");
}

static int add_report(struct overview *o, struct report *report)
{
	struct report **at = reallocarray(o->reports, o->report_count + 1,
					  sizeof(struct report *));

	if (!at)
		return no_memory();
	o->reports = at;
	at[o->report_count++] = report;
	return 0;
}

/* One that has nothing to work on says so by failing. */
static bool is_lack_of_data(int err)
{
	return err == -EINVAL || err == -ENODATA;
}

/*
 * The tables of the summary are those of others, cut short; of iterations the
 * page has a picture, and the longest are named.
 */
static size_t rows_of_report(const struct analysis *a, size_t rows)
{
	if (!strcmp(a->name, "summary"))
		return SUMMARY_ROWS;
	return strcmp(a->name, "iterations") || rows < LONGEST ? rows : LONGEST;
}

static int ask_analysis(struct overview *o, const struct run *const runs[],
			const struct analysis *a, bool only,
			const struct analysis_options *options)
{
	struct analysis_options how = *options;
	struct report *report = NULL;
	int err;

	if (!(a->takes & ANALYSIS_METRIC))
		how.metric = NULL;
	how.limit = only ? o->rows : rows_of_report(a, o->rows);
	err = a->run(&report, runs, &how);
	if (!err && (only || is_report_worth_showing(report))) {
		err = add_report(o, report);
		if (!err)
			return 0;
	}
	report_free(report);
	return !only && is_lack_of_data(err) ? 0 : err;
}

/*
 * What findings are on.
 */

static bool is_column(const struct report_table *t, size_t c, const char *id)
{
	return t->columns[c].id && !strcmp(t->columns[c].id, id);
}

/* "0-2,5", of which there are few: nobody looks at all of many. */
static void name_rows(bool *named, size_t count, const char *text)
{
	uint32_t rows[RANK_GROUPS_NAMED];
	size_t found = 0;

	while (text && *text) {
		char *at;
		unsigned long from = strtoul(text, &at, 10), to = from;

		if (*at == '-')
			to = strtoul(at + 1, &at, 10);
		for (; from <= to && from < count; from++) {
			if (found == RANK_GROUPS_NAMED)
				return;
			rows[found++] = (uint32_t)from;
		}
		text = *at ? at + 1 : NULL;
	}
	while (found)
		named[rows[--found]] = true;
}

static void want_paths_of_findings(const struct overview *o,
				   const struct report *report, bool *named,
				   bool *wanted)
{
	const struct report_table *t = report->tables;

	for (size_t i = 0; i < t->row_count * t->column_count; i++) {
		const struct report_cell *cell = &t->cells[i];
		size_t c = i % t->column_count;

		if (is_column(t, c, "node") && cell->count)
			wanted[o->paths.of[cell->count]] = true;
		if (is_column(t, c, "rows"))
			name_rows(named, o->run->rank_count, cell->text);
	}
}

/* Where ranks were that others waited for, and where these waited. */
static void want_paths_of_causes(const struct overview *o, bool *wanted)
{
	const struct run_waits *w = &o->run->waits;
	size_t causes = w->cause_count < CAUSES ? w->cause_count : CAUSES;

	for (size_t i = 0; i < causes; i++)
		wanted[o->paths.of[w->causes[i].victim]] = true;
	for (size_t i = 0; i < w->context_count; i++)
		if (w->contexts[i].cause < causes &&
		    (!i || w->contexts[i].cause != w->contexts[i - 1].cause))
			wanted[o->paths.of[w->contexts[i].node]] = true;
}

/*
 * What processes have.
 */

static int choose_cells(struct overview *o)
{
	const struct run *run = o->run;
	uint64_t left = OVERVIEW_CELLS;

	o->in_cells = calloc(run->metric_count + 1, sizeof(*o->in_cells));
	if (!o->in_cells)
		return no_memory();
	for (size_t i = 0; i < run->metric_count && run->rank_count > 1; i++) {
		const struct run_metric *m = &run->metrics[i];
		uint64_t count = m->first[run->node_count];

		o->in_cells[i] = m->merge == MERGE_SUM && count <= left;
		left -= o->in_cells[i] ? count : 0;
	}
	return 0;
}

static int add_heat(struct overview *o, const struct run_metric *m,
		    const bool *wanted)
{
	int err;

	if (!m || o->run->rank_count < 2 || o->in_cells[m - o->run->metrics])
		return 0;
	for (size_t i = 0; i < o->heat_count; i++)
		if (o->heats[i].metric == m)
			return 0;
	err = path_heat_init(&o->heats[o->heat_count], &o->paths, m, &o->groups,
			     wanted);
	o->heat_count += !err;
	values_release(o->run, m); /* nobody asks behind it */
	return err;
}

static int picture_time(struct overview *o)
{
	const struct time_grid_choice all = { .groups = o->groups.at,
					      .group_count = o->groups.count,
					      .bins = UINT32_MAX,
					      .columns = OVERVIEW_COLUMNS,
					      .cells = OVERVIEW_TIMES };
	int err = time_grid_init(&o->time, &o->paths, &all);

	return err ? err : step_grid_init(&o->steps, &o->paths, &o->groups);
}

static int picture_processes(struct overview *o)
{
	const struct run *run = o->run;
	bool *named = calloc(run->rank_count + 1, sizeof(*named));
	bool *wanted = calloc(o->paths.count + 1, sizeof(*wanted));
	int err = named && wanted ? choose_cells(o) : no_memory();

	for (size_t i = 0; i < o->report_count && !err; i++)
		if (!strcmp(o->reports[i]->id, "diagnose"))
			want_paths_of_findings(o, o->reports[i], named, wanted);
	if (!err) {
		want_paths_of_causes(o, wanted);
		err = rank_groups_init(&o->groups, run, named);
	}
	if (!err)
		err = add_heat(o, o->metric, wanted);
	if (!err)
		err = add_heat(o, run_metric(run, "mpi.time"), wanted);
	if (!err)
		err = add_heat(o, run_metric(run, "gpu.time"), wanted);
	free(named);
	free(wanted);
	return err ? err : picture_time(o);
}

bool overview_is_quick(const struct run *run)
{
	uint64_t values = 0;

	for (size_t i = 0; i < run->metric_count; i++)
		values += run->metrics[i].first[run->node_count];
	return values < QUICK_VALUES && run->node_count < QUICK_NODES;
}

/* The whole of one run. */
static int overview_run(struct overview *o, const struct run *const runs[],
			const struct overview_choice *choice,
			const struct analysis_options *options)
{
	int err = paths_init(&o->paths, runs[0]);

	o->run = runs[0];
	o->live = choice->live;
	if (err)
		return err;
	o->metric = analysis_metric(runs[0], options, NULL);
	if (o->metric) /* most analyses ask for the same ones */
		values_keep(runs[0], o->metric);
	if (choice->only)
		err = ask_analysis(o, runs, choice->only, true, options);
	for (size_t i = 0; !choice->only && analyses[i] && !err; i++)
		if (is_overview_part(analyses[i]))
			err = ask_analysis(o, runs, analyses[i], false,
					   options);
	if (!err)
		err = picture_processes(o);
	o->has_sources = choice->sources && o->metric;
	if (!err && o->has_sources)
		err = source_lines_init(&o->sources, runs[0], o->metric);
	return err;
}

static int take_verdict(struct overview *o, struct report *verdict)
{
	int err = add_report(o, verdict);

	if (err)
		report_free(verdict);
	return err;
}

static int overview_sides(struct overview *o, const struct run *const runs[],
			  const struct overview_choice *choice,
			  const struct analysis_options *options)
{
	int err = choice->verdict ? take_verdict(o, choice->verdict) : 0;

	if (err)
		return err;
	o->diff = calloc(1, sizeof(*o->diff));
	if (!o->diff)
		return no_memory();
	err = overview_diff_init(o->diff, runs, options);
	return err ? err : ask_analysis(o, runs, choice->only, true, options);
}

int overview_init(struct overview *o, const struct run *const runs[],
		  const struct overview_choice *choice,
		  const struct analysis_options *options)
{
	const struct analysis *only = choice->only;
	size_t limit = options->limit;
	int err;

	*o = (struct overview){ .rows = limit ? limit : OVERVIEW_ROWS,
				.shown = limit ? limit : OVERVIEW_SHOWN };
	if (only && !strcmp(only->name, "diff"))
		err = overview_sides(o, runs, choice, options);
	else
		err = overview_run(o, runs, choice, options);
	if (err)
		overview_fini(o);
	return err;
}

void overview_fini(struct overview *o)
{
	for (size_t i = 0; i < o->report_count; i++)
		report_free(o->reports[i]);
	free(o->reports);
	for (size_t i = 0; i < o->heat_count; i++)
		path_heat_fini(&o->heats[i]);
	time_grid_fini(&o->time);
	step_grid_fini(&o->steps);
	rank_groups_fini(&o->groups);
	free(o->in_cells);
	source_lines_fini(&o->sources);
	if (o->diff)
		overview_diff_fini(o->diff);
	free(o->diff);
	paths_fini(&o->paths);
	*o = (struct overview){ 0 };
}
