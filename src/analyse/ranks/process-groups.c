/* SPDX-License-Identifier: BSD-3-Clause */
/* process-groups.c - see rank-findings.h. */
#include "analyse/ranks/rank-findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"
#include "analyse/base/python-words.h"
#include "analyse/base/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "run/values.h"

#define SAID   0.02 /* of the CPU time: worth a sentence */
#define LINES  2
#define NOBODY UINT32_MAX /* in the enum it would make all unsigned */

enum {
	DEEPEST = 64,   /* generations of processes */
	WITH_PATHS = 32 /* groups, the largest, whose paths are looked at */
};

/* As multiprocessing calls them. */
enum started {
	BY_EXEC, /* or not known */
	BY_FORK,
	BY_SPAWN,
	BY_FORKSERVER
};
static const char *const started_words[] = { NULL, "fork", "spawn",
					     "forkserver" };

struct process_group {
	char *name;
	enum started how;
	bool is_worker;       /* its role is known */
	uint32_t parent;      /* group, or NOBODY */
	uint32_t first, most; /* processes: the first, and by CPU time */
	size_t count;
	double cpu, least; /* seconds */
	uint32_t path;     /* where most of it was; 0: not known, … */
	double at_path;    /* … of the metric */
};

struct process_groups {
	const struct run *run;
	uint32_t *parent, *of; /* by process: who started it, its group */
	struct process_group *at, **sorted;
	size_t count;
	double cpu;
	struct map map;
	struct strings names;
};

static void groups_of_processes_fini(struct process_groups *g)
{
	for (size_t i = 0; g->at && i < g->count; i++)
		free(g->at[i].name);
	free(g->parent);
	free(g->of);
	free(g->at);
	free(g->sorted);
	map_fini(&g->map);
	strings_fini(&g->names);
}

static const char *command_of(const struct run *run, uint32_t process)
{
	return str_at(&run->strings, run->ranks[process].command);
}

static int find_parents(struct process_groups *g)
{
	const struct run *run = g->run;
	struct map map = { 0 };
	bool ok = true;

	for (uint32_t i = 0; i < run->rank_count && ok; i++)
		ok = map_put(&map, run->ranks[i].pid, run->ranks[i].host, i) !=
		     MAP_NONE;
	for (uint32_t i = 0; i < run->rank_count && ok; i++) {
		const struct run_rank *r = &run->ranks[i];

		g->parent[i] =
			r->ppid ? map_get(&map, r->ppid, r->host) : NOBODY;
	}
	map_fini(&map);
	return ok ? 0 : no_memory();
}

/* The program's name, without its folder and arguments; to be freed. */
static char *command_program(const char *command)
{
	const char *program = python_program(command);
	size_t size = strcspn(program, " ");
	char *word = strndup(program, size), *name;

	name = word ? strdup(str_base(word)) : NULL;
	free(word);
	return name;
}

/* A fork has its parent's command line. */
static enum started how_started(const struct process_groups *g,
				uint32_t process)
{
	const char *command = command_of(g->run, process);
	uint32_t parent = g->parent[process];

	if (strstr(command, "from multiprocessing.spawn"))
		return BY_SPAWN;
	if (strstr(command, "from multiprocessing.forkserver"))
		return BY_FORKSERVER;
	if (g->run->world && process < g->run->member_count)
		return BY_EXEC;
	return parent != NOBODY && !strcmp(command, command_of(g->run, parent))
		       ? BY_FORK
		       : BY_EXEC;
}

/* Who asked for it: a server of forks did not. */
static uint32_t process_that_asked(const struct process_groups *g,
				   uint32_t process)
{
	uint32_t parent = g->parent[process];

	if (parent != NOBODY && how_started(g, process) == BY_FORKSERVER &&
	    how_started(g, parent) == BY_FORKSERVER)
		parent = g->parent[parent];
	return parent;
}

static void add_to_process_group(struct process_groups *g, uint32_t group,
				 uint32_t process)
{
	struct process_group *to = &g->at[group];
	double cpu = (double)g->run->ranks[process].cpu_ns / 1e9;

	g->of[process] = group;
	g->cpu += cpu;
	to->cpu += cpu;
	if (!to->count++ || cpu < to->least)
		to->least = cpu;
	if (g->run->ranks[process].cpu_ns > g->run->ranks[to->most].cpu_ns)
		to->most = process;
}

static char *name_of_process(const struct run *run, uint32_t process)
{
	const char *role = str_at(&run->strings, run->ranks[process].role);

	return *role ? strdup(role) : command_program(command_of(run, process));
}

/* Its own group comes after the group that started it. */
static bool put_process(struct process_groups *g, uint32_t process, int depth)
{
	uint32_t by = process_that_asked(g, process), above = NOBODY, name,
		 group;
	enum started how = how_started(g, process);
	char *text;

	if (g->of[process] != NOBODY)
		return true;
	if (by != NOBODY && by != process && depth < DEEPEST) {
		if (!put_process(g, by, depth + 1))
			return false;
		above = g->of[by];
		if (g->of[process] != NOBODY) /* numbers were used again */
			return true;
	}
	text = name_of_process(g->run, process);
	name = text ? str_add(&g->names, text) : STR_NONE;
	group = name == STR_NONE
			? MAP_NONE
			: map_put(&g->map, (uint64_t)name << 32 | above, how,
				  (uint32_t)g->count);
	if (group == g->count) {
		g->at[g->count++] = (struct process_group){
			.name = text,
			.how = how,
			.is_worker = g->run->ranks[process].role != 0,
			.parent = above,
			.first = process,
			.most = process,
		};
		text = NULL;
	}
	free(text);
	if (group == MAP_NONE)
		return false;
	add_to_process_group(g, group, process);
	return true;
}

ORDER_POINTERS_BY(by_group_cpu, struct process_group, DESC(cpu) ?: ORDER(a, b))

/* What each group has of a node, for the path that it is said to be of. */
static int add_node_values(const struct process_groups *g, const uint32_t *row,
			   const struct paths *paths, size_t metric,
			   uint32_t node, struct value_buffer *buffer,
			   double *sums)
{
	uint32_t path = paths_said(paths, paths->of[node]);
	const struct run_value *values;
	size_t count;
	int err;

	if (g->count == 1) { /* as most runs: no need of each process's */
		sums[path] += value_node(&g->run->metrics[metric], node);
		return 0;
	}
	err = values_of_node(g->run, metric, node, buffer, &values, &count);
	for (size_t i = 0; i < count && !err; i++) {
		uint32_t at = row[g->of[values[i].rank]];

		if (at != NOBODY)
			sums[at * paths->count + path] +=
				(double)values[i].value;
	}
	return err;
}

static void choose_group_paths(struct process_groups *g,
			       const struct paths *paths, size_t rows,
			       const double *sums)
{
	for (size_t i = 0; i < rows; i++) {
		struct process_group *to = g->sorted[i];
		const double *at = sums + i * paths->count;
		double all = 0;

		for (uint32_t p = 1; p < paths->count; p++) {
			all += at[p];
			if (at[p] > at[to->path])
				to->path = p;
		}
		to->at_path = value_ratio(at[to->path], all);
	}
}

static int find_group_paths(struct process_groups *g, const struct paths *paths,
			    const struct run_metric *metric)
{
	size_t index = (size_t)(metric - g->run->metrics);
	size_t rows = g->count < WITH_PATHS ? g->count : WITH_PATHS;
	double *sums = calloc(rows * paths->count + 1, sizeof(*sums));
	uint32_t *row = calloc(g->count + 1, sizeof(*row));
	struct value_buffer buffer = { 0 };
	int err = sums && row ? 0 : no_memory();

	for (size_t i = 0; i < g->count && !err; i++)
		row[g->sorted[i] - g->at] = i < rows ? (uint32_t)i : NOBODY;
	for (uint32_t n = 1; n < g->run->node_count && !err; n++)
		err = add_node_values(g, row, paths, index, n, &buffer, sums);
	if (!err)
		choose_group_paths(g, paths, rows, sums);
	value_buffer_fini(&buffer);
	free(sums);
	free(row);
	return err;
}

static int process_groups_init(struct process_groups *g, const struct run *run)
{
	size_t room = run->rank_count + 1;
	int err;

	*g = (struct process_groups){
		.run = run,
		.parent = calloc(room, sizeof(*g->parent)),
		.of = malloc(room * sizeof(*g->of)),
		.at = calloc(room, sizeof(*g->at)),
		.sorted = calloc(room, sizeof(*g->sorted)),
	};
	if (!g->parent || !g->of || !g->at || !g->sorted)
		return no_memory();
	memset(g->of, 0xff, room * sizeof(*g->of));
	err = find_parents(g);
	for (uint32_t i = 0; i < run->rank_count && !err; i++)
		err = put_process(g, i, 0) ? 0 : no_memory();
	for (size_t i = 0; i < g->count; i++)
		g->sorted[i] = &g->at[i];
	qsort(g->sorted, g->count, sizeof(*g->sorted), by_group_cpu);
	return err;
}

/* "ranks 0–3", "train.py"; to be freed, NULL: nobody in the run, or memory. */
static char *started_by(const struct process_groups *g,
			const struct process_group *group)
{
	const struct run *run = g->run;
	uint32_t parent = group->parent, *picked;
	size_t count = 0;
	char *list = NULL, *text = NULL;
	bool *asked;

	if (parent == NOBODY)
		return NULL;
	if (!run->world || g->at[parent].first >= run->member_count)
		return strdup(g->at[parent].name);
	picked = calloc(run->rank_count + 1, sizeof(*picked));
	asked = calloc(run->rank_count + 1, sizeof(*asked));
	if (picked && asked) {
		for (uint32_t i = 0; i < run->rank_count; i++)
			if (&g->at[g->of[i]] == group)
				asked[process_that_asked(g, i)] = true;
		for (uint32_t r = 0; r < run->member_count; r++)
			if (asked[r])
				picked[count++] = r;
		list = processes_list(run, picked, count);
	}
	if (list)
		text = str_format("%s%s %s", processes_noun(run),
				  count == 1 ? "" : "s", list);
	free(list);
	free(picked);
	free(asked);
	return text;
}

static void group_columns(struct report *report, const struct run *run)
{
	report_table(report, "groups", "processes by what they do");
	report_column(report, "group", "process", COLUMN_TEXT);
	report_column(report, "started_by", "started by", COLUMN_TEXT);
	report_column(report, "how", "how", COLUMN_LEFT_TEXT);
	report_column(report, "processes", "number", COLUMN_COUNT);
	report_column(report, "cpu", "CPU time", COLUMN_SECONDS);
	report_column(report, "cpu_share", "of all", COLUMN_SHARE);
	report_column(report, "cpu_min", "least", COLUMN_SECONDS);
	report_column(report, "cpu_max", "most", COLUMN_SECONDS);
	report_column(report, "cpu_max_in",
		      run->world ? "in rank or process" : "in process",
		      COLUMN_COUNT);
	report_column(report, "path", "mostly in", COLUMN_TEXT);
	report_column(report, "path_share", "there", COLUMN_SHARE);
}

static void process_group_row(struct report *report,
			      const struct process_groups *g,
			      const struct process_group *group,
			      const struct paths *paths)
{
	const struct run *run = g->run;
	char *by = started_by(g, group);
	char *path = group->path ? paths_short(paths, group->path, 3) : NULL;

	report_text(report, group->name);
	report_text(report, by);
	report_text(report, started_words[group->how]);
	report_count(report, group->count);
	report_number(report, group->cpu);
	report_number(report, value_ratio(group->cpu, g->cpu));
	report_number(report, group->least);
	report_number(report, (double)run->ranks[group->most].cpu_ns / 1e9);
	report_count(report, processes_number(run, group->most));
	report_text(report, path);
	value_known(report, path ? group->at_path : NO_VALUE);
	free(by);
	free(path);
}

/* For programs: each process, and the group that it is of. */
static void member_table(struct report *report, const struct process_groups *g)
{
	const struct run *run = g->run;

	report_table(report, "processes", NULL);
	report_column(report, "pid", NULL, COLUMN_COUNT);
	report_column(report, "ppid", NULL, COLUMN_COUNT);
	report_column(report, "rank", NULL, COLUMN_COUNT);
	report_column(report, "host", NULL, COLUMN_TEXT);
	report_column(report, "group", NULL, COLUMN_TEXT);
	report_column(report, "cpu", NULL, COLUMN_SECONDS);
	report_column(report, "elapsed", NULL, COLUMN_SECONDS);
	report_column(report, "command", NULL, COLUMN_TEXT);
	for (uint32_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		report_count(report, r->pid);
		report_count(report, r->ppid);
		value_count(report, run->world && i < run->member_count
					    ? r->rank
					    : NO_VALUE);
		report_text(report, str_at(&run->strings, r->host));
		report_text(report, g->at[g->of[i]].name);
		report_number(report, (double)r->cpu_ns / 1e9);
		report_number(report, (double)r->elapsed_ns / 1e9);
		report_text(report, command_of(run, i));
	}
}

static void say_process_group(struct report *report,
			      const struct process_groups *g,
			      const struct process_group *group,
			      const struct paths *paths)
{
	char *by = started_by(g, group), cpu[32];
	char *path = group->path ? paths_short(paths, group->path, 3) : NULL;

	report_line(report,
		    "– %zu × %s%s%s%s%s%s: %s of CPU time, %.0f %% of all%s%s%s"
		    "%s.",
		    group->count, group->name, by ? " of " : "", by ? by : "",
		    group->how ? " (" : "",
		    group->how ? started_words[group->how] : "",
		    group->how ? ")" : "", phrase_time(cpu, group->cpu),
		    100 * value_ratio(group->cpu, g->cpu), path ? ", " : "",
		    path ? phrase_most(group->at_path) : "", path ? " in " : "",
		    path ? path : "");
	free(by);
	free(path);
}

static bool is_worth_saying(const struct process_groups *g,
			    const struct process_group *group)
{
	return group->is_worker && group->cpu >= SAID * g->cpu;
}

int process_groups_say(struct report *report, const struct paths *paths,
		       const struct run_metric *metric)
{
	struct process_groups g;
	size_t left = 0;
	int err = process_groups_init(&g, paths->run);

	for (size_t i = 0; i < g.count && !err && left < LINES; i++)
		left += is_worth_saying(&g, g.sorted[i]);
	if (left && metric && !err)
		err = find_group_paths(&g, paths, metric);
	for (size_t i = 0; i < g.count && left && !err; i++)
		if (is_worth_saying(&g, g.sorted[i])) {
			say_process_group(report, &g, g.sorted[i], paths);
			left--;
		}
	groups_of_processes_fini(&g);
	return err;
}

static int fill_processes(struct report *report, struct process_groups *g,
			  const struct paths *paths,
			  const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, 20, g->count);

	group_columns(report, g->run);
	for (size_t i = 0; i < limit; i++)
		process_group_row(report, g, g->sorted[i], paths);
	member_table(report, g);
	return report_error(report);
}

static int run_processes(struct report **to, const struct run *const runs[],
			 const struct analysis_options *options)
{
	const struct run_metric *metric;
	struct process_groups g;
	struct paths paths;
	int err = analysis_one_run(runs, "processes");

	if (err)
		return err;
	metric = analysis_metric(runs[0], options, NULL);
	if (!metric)
		return -EINVAL;
	err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	err = process_groups_init(&g, runs[0]);
	if (!err)
		err = find_group_paths(&g, &paths, metric);
	if (!err)
		*to = analysis_report("processes", runs[0], metric);
	if (!err)
		err = *to ? fill_processes(*to, &g, &paths, options) : -ENOMEM;
	groups_of_processes_fini(&g);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_process_groups = {
	.name = "processes",
	.help = "processes by what they do, and who started them",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE,
	.run = run_processes,
};
