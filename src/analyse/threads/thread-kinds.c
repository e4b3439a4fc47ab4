/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-kinds.c - see thread-waits.h. */
#include "analyse/threads/thread-waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "base/err.h"

struct thread_kind {
	const struct run_thread_group *first; /* one of its groups */
	char *name;                           /* owned; its pattern */
	bool varies;                          /* groups have several names */
	uint32_t processes;
	uint64_t threads;
	double cpu, most, lock, sync; /* seconds */
};

static bool is_of_kind(const struct thread_kind *k,
		       const struct run_thread_group *g, const char *pattern)
{
	return k->first->kind == g->kind && k->first->node == g->node &&
	       !strcmp(k->name, pattern);
}

static void add_to_kind(struct thread_kind *k, const struct run_thread_group *g)
{
	double most = (double)g->most_ns / 1e9;

	k->varies |= g->name != k->first->name;
	k->processes++;
	k->threads += g->threads;
	k->cpu += (double)g->cpu_ns / 1e9;
	k->most = most > k->most ? most : k->most;
	k->lock += (double)g->lock_ns / 1e9;
	k->sync += (double)g->sync_ns / 1e9;
}

/* The kinds of all groups; room for as many as there are groups. */
static int find_kinds(struct thread_kind *to, size_t *count,
		      const struct run *run)
{
	*count = 0;
	for (size_t i = 0; i < run->threads.group_count; i++) {
		const struct run_thread_group *g = &run->threads.groups[i];
		const char *name = str_at(&run->strings, g->name);
		char *pattern = malloc(strlen(name) + 1);
		size_t k = 0;

		if (!pattern)
			return no_memory();
		run_thread_pattern(pattern, name);
		while (k < *count && !is_of_kind(&to[k], g, pattern))
			k++;
		if (k == *count)
			to[(*count)++] =
				(struct thread_kind){ .first = g,
						      .name = pattern };
		else
			free(pattern);
		add_to_kind(&to[k], g);
	}
	return 0;
}

ORDER_BY(by_kind_time, struct thread_kind, DESC(cpu) ?: ASC(first))

static void thread_kind_columns(struct report *report, bool processes)
{
	report_column(report, "name", "name", COLUMN_TEXT);
	report_column(report, "processes", processes ? "processes" : NULL,
		      COLUMN_COUNT);
	report_column(report, "threads", "threads", COLUMN_COUNT);
	report_column(report, "began_in", "began in", COLUMN_LEFT_TEXT);
	report_column(report, "cpu", "CPU time", COLUMN_SECONDS);
	report_column(report, "cpu_most", "the busiest", COLUMN_SECONDS);
	report_column(report, "lock_wait", "for locks", COLUMN_SECONDS);
	report_column(report, "sync_wait", "other waits", COLUMN_SECONDS);
}

static void kind_row(struct report *report, const struct paths *paths,
		     const struct thread_kind *k)
{
	const struct run_thread_group *g = k->first;
	char *in = g->kind == RUN_THREAD_BEGUN && g->node
			   ? paths_short(paths, paths->of[g->node], 1)
			   : NULL;

	report_text(report, k->varies ? k->name
				      : str_at(&paths->run->strings, g->name));
	report_count(report, k->processes);
	report_count(report, k->threads);
	report_text(report, g->kind == RUN_THREAD_FIRST      ? "the process"
			    : g->kind == RUN_THREAD_PARALLEL ? "OpenMP"
							     : in);
	report_number(report, k->cpu);
	report_number(report, k->most);
	report_number(report, k->lock);
	report_number(report, k->sync);
	free(in);
}

int thread_kinds_put(struct report *report, const struct paths *paths,
		     size_t limit)
{
	const struct run *run = paths->run;
	struct thread_kind *kinds =
		calloc(run->threads.group_count + 1, sizeof(*kinds));
	size_t count = 0;
	int err = kinds ? find_kinds(kinds, &count, run) : no_memory();

	if (count)
		qsort(kinds, count, sizeof(*kinds), by_kind_time);
	if (!err) {
		report_table(report, "kinds", count > 1 ? "threads" : NULL);
		thread_kind_columns(report, run->rank_count > 1);
	}
	for (size_t k = 0; k < count && k < limit && !err; k++)
		kind_row(report, paths, &kinds[k]);
	for (size_t k = 0; k < count; k++)
		free(kinds[k].name);
	free(kinds);
	return err;
}
