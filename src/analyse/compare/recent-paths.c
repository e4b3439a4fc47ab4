/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recent-paths.c - the call paths of the last seconds: of all ranks or of one,
 * and how long each rank was in those that somebody asks for.  Time is CPU
 * time, and in MPI that of calls that have returned.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "analyse/compare/path-union.h"
#include "analyse/compare/recent-summary.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "run/values.h"

enum {
	PATHS_KEPT = 200 /* of a host: screens have fewer rows */
};

/* What is gathered, path by path. */
struct recent_paths {
	struct path_union union_of;
	const struct recent_choice *only;
	bool *found; /* paths that have the word */
	double *seconds;
};

bool recent_path_add(struct recent_summary *to, double seconds, char *text)
{
	struct recent_path one = { seconds, text };

	if (text && array_append(&to->paths, &to->path_count, &to->path_room,
				 sizeof(one), &one))
		return true;
	free(text);
	return false;
}

/* The summary's row of each process of the run; row_count: none. */
static uint32_t *summary_rows(const struct recent_summary *s,
			      const struct run *run)
{
	uint32_t *rows = calloc(run->rank_count + 1, sizeof(*rows));

	for (size_t r = 0; rows && r < run->rank_count; r++) {
		uint64_t number = processes_number(run, r);

		while (rows[r] < s->row_count &&
		       s->rows[rows[r]].number != number)
			rows[r]++;
	}
	return rows;
}

static int add_path_node(struct recent_paths *p, struct recent_summary *to,
			 const struct run *run, const struct run_metric *m,
			 uint32_t node, uint32_t path, const uint32_t *rows,
			 double sign, struct value_buffer *buffer)
{
	const struct run_value *values;
	size_t count;
	int err = values_of_node(run, (size_t)(m - run->metrics), node, buffer,
				 &values, &count);

	for (size_t i = 0; i < count && !err; i++) {
		double seconds =
			sign * value_of(m->unit, (double)values[i].value);
		uint32_t row = rows[values[i].rank];

		if (row == to->row_count)
			continue; /* not chosen, or no member of the job */
		p->seconds[path] += seconds;
		if (p->found[path])
			to->rows[row].there += seconds / to->seconds;
	}
	return err;
}

/* What one of the looks has, with that sign. */
static int add_path_look(struct recent_paths *p, struct recent_summary *to,
			 const struct run *run, size_t look, double sign)
{
	const struct run_metric *cpu = run_metric(run, "cpu.time");
	const struct run_metric *mpi = run_metric(run, "mpi.time");
	const struct path_union *u = &p->union_of;
	struct value_buffer buffer = { 0 };
	uint32_t *rows = summary_rows(to, run);
	int err = rows ? 0 : no_memory();

	for (uint32_t n = 0; n < run->node_count && !err; n++) {
		uint32_t path = u->of[look][n];
		const struct run_metric *m = mpi && u->at[path].mpi ? mpi : cpu;

		if (m)
			err = add_path_node(p, to, run, m, n, path, rows, sign,
					    &buffer);
	}
	value_buffer_fini(&buffer);
	free(rows);
	return err;
}

static int find_word(struct recent_paths *p, struct recent_summary *to)
{
	const char *word = p->only->word;

	for (size_t i = 0; word && i < to->row_count; i++)
		to->rows[i].there = 0;
	for (size_t i = 0; word && i < p->union_of.count; i++) {
		char *text = path_union_text(&p->union_of, (uint32_t)i);

		if (!text)
			return no_memory();
		p->found[i] = strstr(text, word);
		free(text);
	}
	return 0;
}

struct path_seconds {
	uint32_t path;
	double seconds;
};

ORDER_BY(by_path_seconds, struct path_seconds, DESC(seconds) ?: ASC(path))

static int keep_recent_paths(struct recent_paths *p, struct recent_summary *to)
{
	size_t count = p->union_of.count, kept = 0;
	struct path_seconds *at = calloc(count + 1, sizeof(*at));
	bool good = at;

	for (size_t i = 0; i < count && good; i++) {
		double seconds = p->seconds[i] > 0 ? p->seconds[i] : 0;

		to->path_seconds += seconds;
		if (seconds > 0 && (!p->only->word || p->found[i]))
			at[kept++] =
				(struct path_seconds){ (uint32_t)i, seconds };
	}
	if (kept)
		qsort(at, kept, sizeof(*at), by_path_seconds);
	for (size_t i = 0; i < kept && i < PATHS_KEPT && good; i++)
		good = recent_path_add(
			to, at[i].seconds,
			path_union_text(&p->union_of, at[i].path));
	free(at);
	return good ? 0 : no_memory();
}

int recent_paths_add(struct recent_summary *to, const struct run *before,
		     const struct run *now, const struct recent_choice *only)
{
	const struct run *const runs[] = { before, now, NULL };
	struct recent_paths p = { .only = only };
	int err = path_union_init(&p.union_of, runs, 0);

	if (err)
		return err;
	p.found = calloc(p.union_of.count + 1, sizeof(*p.found));
	p.seconds = calloc(p.union_of.count + 1, sizeof(*p.seconds));
	err = p.found && p.seconds ? find_word(&p, to) : no_memory();
	if (!err)
		err = add_path_look(&p, to, before, 0, -1);
	if (!err)
		err = add_path_look(&p, to, now, 1, 1);
	if (!err)
		err = keep_recent_paths(&p, to);
	free(p.found);
	free(p.seconds);
	path_union_fini(&p.union_of);
	return err;
}
