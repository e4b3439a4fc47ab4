/* SPDX-License-Identifier: BSD-3-Clause */
/* idle-threads.c - find threads that only waited, leave them out, say so. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/idle-threads.h"
#include "analyse/base/interpreter.h"
#include "analyse/base/python-words.h"
#include "analyse/paths/paths.h"
#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/comparison.h"
#include "run/path-sums.h"

#define WORKS 0.02 /* of the time: who did so much did not only wait */
#define FIRST 3    /* of them in a sentence */

/* How a node's path begins. */
enum thread_origin {
	NOWHERE, /* the root */
	STARTS,  /* frames of the C library, which start a thread … */
	THREAD,  /* … and what they call */
	ELSEWHERE
};

/* What threads began with: paths right below the root. */
struct path_start {
	struct run_idle_start is;
	uint32_t path;
	bool idle;
};

struct idle_search { /* of a run */
	struct run *run;
	struct run_metric *wall; /* NULL: there is nothing to leave out */
	struct paths paths;
	unsigned char *origin; /* of nodes */
	bool *own;             /* by string: a file of the program's, … */
	bool own_known;        /* … and there is one */
	double *own_wall;      /* of paths */
	struct path_sum *cpu;
	struct path_start *starts;
	size_t count;
};

static bool starts_program(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return !strncmp(name, "__libc_start_", strlen("__libc_start_"));
}

static bool is_code_node(const struct run_node *n)
{
	return n->kind == RUN_FUNCTION || n->kind == RUN_LINE ||
	       n->kind == RUN_LOOP || n->kind == RUN_OPENMP ||
	       n->kind == RUN_LOCK;
}

static enum thread_origin origin_of_thread(const struct idle_search *s,
					   uint32_t node)
{
	const struct run_node *n = &s->run->nodes[node];
	enum thread_origin above = s->origin[n->parent];

	if (above == THREAD || above == ELSEWHERE)
		return above;
	if (!is_code_node(n))
		return ELSEWHERE;
	if (paths_in_c_library(s->run, node) && !starts_program(s->run, node))
		return STARTS;
	return above == STARTS ? THREAD : ELSEWHERE;
}

/* The program's file is that of the frame that starts it, _start. */
static void look_at_thread_nodes(struct idle_search *s)
{
	const struct run *run = s->run;

	for (uint32_t n = 1; n < run->node_count; n++) {
		uint32_t above = run->nodes[n].parent;

		s->origin[n] = (unsigned char)origin_of_thread(s, n);
		if (above && starts_program(run, n) &&
		    !paths_in_c_library(run, above))
			s->own[run->nodes[above].module] = s->own_known = true;
	}
}

/* Functions of Python, and its interpreter, are the program's, too. */
static bool is_of_library(const struct idle_search *s, uint32_t node)
{
	const struct run_node *n = &s->run->nodes[node];

	return s->origin[node] == THREAD && !s->own[n->module] &&
	       !interpreter_owns(s->run, node) && !python_owns(s->run, node) &&
	       is_code_node(n);
}

static double longest_idle(const struct run *run)
{
	uint64_t most = 0;

	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].elapsed_ns > most)
			most = run->ranks[i].elapsed_ns;
	return (double)most;
}

/* Fills in the values; false: not all of it is a library's. */
static bool add_up_idle(const struct idle_search *s, struct path_start *start)
{
	const struct paths *paths = &s->paths;
	const struct run_metric *cpu = run_metric(s->run, "cpu.time");
	uint32_t end = paths->at[start->path].end;
	double files = 0, most = -1;

	for (uint32_t p = start->path; p < end; p++) {
		if (s->own_wall[p] > most) {
			most = s->own_wall[p];
			start->is.waited = paths->at[p].node;
		}
		start->is.value += s->own_wall[p];
		for (uint32_t i = paths->first[p]; i < paths->first[p + 1];
		     i++) {
			uint32_t n = paths->nodes[i];

			if (!is_of_library(s, n))
				return false;
			start->is.cpu += value_node(cpu, n);
			if (paths_is_file(s->run, run_frame(s->run, n)))
				files += value_node(s->wall, n);
		}
	}
	return start->is.cpu + files < WORKS * start->is.value;
}

static void look_at_paths(struct idle_search *s)
{
	const struct paths *paths = &s->paths;
	double run_time = longest_idle(s->run);

	for (uint32_t p = 1; p < paths->count; p = paths->at[p].end) {
		uint32_t node = paths->at[p].node;
		struct path_start *start = &s->starts[s->count];

		if (s->origin[node] != THREAD)
			continue;
		*start = (struct path_start){ .is.node = node, .path = p };
		start->idle = s->own_known && add_up_idle(s, start) &&
			      (double)s->cpu[p].max <= WORKS * run_time;
		s->count++;
	}
}

static int search_idle_threads(struct idle_search *s, struct run *run)
{
	const struct run_metric *cpu = run_metric(run, "cpu.time");
	int err;

	*s = (struct idle_search){ .run = run };
	for (size_t i = 0; cpu && i < run->metric_count; i++)
		if (!strcmp(run->metrics[i].name, "wall.time"))
			s->wall = &run->metrics[i];
	if (!s->wall)
		return 0;
	err = paths_init(&s->paths, run);
	if (err)
		return err;
	s->origin = calloc(run->node_count + 1, sizeof(*s->origin));
	s->own = calloc(run->strings.count + 1, sizeof(*s->own));
	s->own_wall = calloc(s->paths.count + 1, sizeof(*s->own_wall));
	s->starts = calloc(s->paths.count + 1, sizeof(*s->starts));
	if (!s->origin || !s->own || !s->own_wall || !s->starts)
		return no_memory();
	s->cpu = path_sums(&s->paths, cpu);
	if (!s->cpu)
		return -EIO;
	paths_values(&s->paths, s->wall, s->own_wall, NULL);
	look_at_thread_nodes(s);
	look_at_paths(s);
	return 0;
}

static void search_fini(struct idle_search *s)
{
	paths_fini(&s->paths);
	free(s->origin);
	free(s->own);
	free(s->own_wall);
	free(s->starts);
	free(s->cpu);
}

/* "libpmix.so.2", wherever it is, is libpmix.so of another run. */
static const char *start_library(const struct idle_search *s,
				 const struct path_start *start, size_t *length)
{
	const struct run *run = s->run;
	const char *name = str_base(
		str_at(&run->strings, run->nodes[start->is.node].module));
	const char *so = strstr(name, ".so");

	*length = so ? (size_t)(so - name) : strlen(name);
	return name;
}

static bool start_at_same_place(const struct idle_search *a,
				const struct path_start *x,
				const struct idle_search *b,
				const struct path_start *y)
{
	size_t of_x, of_y;
	const char *left = start_library(a, x, &of_x),
		   *right = start_library(b, y, &of_y);

	return of_x == of_y && !strncmp(left, right, of_x) &&
	       !strcmp(paths_function(a->run, x->is.node),
		       paths_function(b->run, y->is.node));
}

/* What worked in one of the runs is left out of none: they are compared. */
static void agree_on_idle(struct idle_search *a, const struct idle_search *b)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; k < b->count; k++)
			if (!b->starts[k].idle &&
			    start_at_same_place(a, &a->starts[i], b,
						&b->starts[k]))
				a->starts[i].idle = false;
}

ORDER_BY(longest_first, struct run_idle_start, DESC(value) ?: ASC(node))

static void take_idle_path(struct idle_search *s, struct run_idle *idle,
			   uint32_t path)
{
	const struct paths *paths = &s->paths;
	uint32_t end = paths->first[paths->at[path].end];

	for (uint32_t i = paths->first[path]; i < end; i++) {
		idle->nodes[paths->nodes[i]] = true;
		s->wall->stats[paths->nodes[i]] = (struct run_stat){ 0 };
	}
}

static int leave_out_threads(struct idle_search *s)
{
	struct run_idle *idle = calloc(1, sizeof(*idle));

	if (idle) {
		idle->nodes = calloc(s->run->node_count + 1, sizeof(bool));
		idle->starts = calloc(s->count + 1, sizeof(*idle->starts));
	}
	if (!idle || !idle->nodes || !idle->starts) {
		run_idle_free(idle);
		return no_memory();
	}
	for (size_t i = 0; i < s->count; i++) {
		if (!s->starts[i].idle || s->starts[i].is.value <= 0)
			continue;
		idle->starts[idle->count++] = s->starts[i].is;
		take_idle_path(s, idle, s->starts[i].path);
	}
	qsort(idle->starts, idle->count, sizeof(*idle->starts), longest_first);
	if (idle->count)
		s->wall->idle = idle;
	else
		run_idle_free(idle);
	return 0;
}

int idle_threads_leave_out(struct run *const runs[])
{
	size_t count = 0;
	struct idle_search *s;
	int err = 0;

	while (runs[count])
		count++;
	s = calloc(count + 1, sizeof(*s));
	if (!s)
		return no_memory();
	for (size_t i = 0; i < count && !err; i++)
		err = search_idle_threads(&s[i], runs[i]);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++)
			if (k != i)
				agree_on_idle(&s[i], &s[k]);
	for (size_t i = 0; i < count && !err; i++)
		if (s[i].wall)
			err = leave_out_threads(&s[i]);
	for (size_t i = 0; i < count; i++)
		search_fini(&s[i]);
	free(s);
	return err;
}

/* What is said. */

double idle_threads_sum(const struct run_metric *metric)
{
	double sum = 0;

	if (metric && metric->idle)
		for (size_t i = 0; i < metric->idle->count; i++)
			sum += metric->idle->starts[i].value;
	return sum;
}

/* "progress of libpmix.so.2", or the library where it has no name. */
static void write_start(FILE *to, const struct run *run,
			const struct run_idle_start *start)
{
	const struct run_node *n = &run->nodes[start->node];
	const char *file = str_base(str_at(&run->strings, n->module));
	char time[32];

	if (!(n->flags & RUN_UNNAMED))
		fprintf(to, "%s of ", paths_function(run, start->node));
	fprintf(to, "%s %s in %s", file, phrase_time(time, start->value),
		paths_function(run, run_frame(run, start->waited)));
}

/* To be freed; NULL when out of memory. */
static char *starts_text(const struct run *run, const struct run_idle *idle)
{
	char *text = NULL;
	size_t size, i;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (i = 0; i < idle->count && i < FIRST; i++) {
		fputs(i ? ", " : "", to);
		write_start(to, run, &idle->starts[i]);
	}
	if (i < idle->count)
		fprintf(to, ", and %zu more", idle->count - i);
	fclose(to);
	return text;
}

static double total_of_threads(const struct run *run,
			       const struct run_metric *metric)
{
	double sum = idle_threads_sum(metric);

	for (size_t n = 0; n < run->node_count; n++)
		sum += value_node(metric, n);
	return sum;
}

static void say_run(struct report *report, const struct run *run,
		    const struct run_metric *metric, const char *which)
{
	double sum = idle_threads_sum(metric);
	char *starts = starts_text(run, metric->idle);
	char time[32];

	if (starts)
		report_note(
			report,
			"Threads that only waited are left out of %s%s: "
			"%s (%.1f %% of all), %s; --idle-threads=on shows "
			"them.",
			metric->name, which, phrase_time(time, sum),
			100 * value_ratio(sum, total_of_threads(run, metric)),
			starts);
	else
		report->failed = true;
	free(starts);
}

static void idle_columns(struct report *report)
{
	report_table(report, "idle_threads", NULL);
	report_column(report, "run", NULL, COLUMN_COUNT);
	report_column(report, "function", NULL, COLUMN_TEXT);
	report_column(report, "module", NULL, COLUMN_TEXT);
	report_column(report, "waited_in", NULL, COLUMN_TEXT);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	report_column(report, "cpu", NULL, COLUMN_SECONDS);
}

static void idle_rows(struct report *report, size_t number,
		      const struct run *run, const struct run_idle *idle)
{
	for (size_t i = 0; i < idle->count; i++) {
		const struct run_idle_start *start = &idle->starts[i];

		report_count(report, number);
		report_text(report, paths_function(run, start->node));
		report_text(report, str_at(&run->strings,
					   run->nodes[start->node].module));
		report_text(report,
			    paths_function(run, run_frame(run, start->waited)));
		report_number(report, start->value);
		report_number(report, start->cpu);
	}
}

/* A tree alone, for flame graphs, has no tables. */
void idle_threads_say(struct report *report, const struct run *const runs[],
		      const char *metric)
{
	bool said = false;

	for (size_t i = 0; metric && runs[i]; i++) {
		const struct run_metric *m = run_metric(runs[i], metric);

		if (!m || !m->idle)
			continue;
		if (!said)
			say_run(report, runs[i], m,
				runs[1] ? " in all runs; of the first" : "");
		if (!said && report->table_count)
			idle_columns(report);
		if (report->table_count)
			idle_rows(report, i, runs[i], m->idle);
		said = true;
	}
}
