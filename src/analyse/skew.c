/* SPDX-License-Identifier: BSD-3-Clause */
/* skew.c - walk the paths depth first with a row of sums for each level. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/skew.h"
#include "analyse/value.h"
#include "base/err.h"

/* A path is explained when one callee has this share of its imbalance. */
#define EXPLAINED 0.9

struct level {
	uint32_t path;
	double callee; /* the largest recoverable of a callee */
	double *row;   /* one value per process */
};

static void add_nodes(const struct skews *s, uint32_t from, uint32_t to,
		      double *row)
{
	const struct run_metric *m = s->metric;

	for (uint32_t n = from; n < to; n++) {
		uint32_t node = s->paths->nodes[n];

		for (uint64_t v = m->first[node]; v < m->first[node + 1]; v++) {
			uint32_t c = s->column[m->values[v].rank];

			if (c != UINT32_MAX)
				row[c] += value_of(m->unit,
						   (double)m->values[v].value);
		}
	}
}

void skew_values(const struct skews *s, uint32_t path, double *to)
{
	for (size_t i = 0; i < s->process_count; i++)
		to[i] = 0;
	add_nodes(s, s->paths->first[path],
		  s->paths->first[s->paths->at[path].end], to);
}

static struct skew summarize(const struct skews *s, uint32_t path,
			     const double *row)
{
	struct skew k = { .path = path, .min = row[0], .max = row[0] };
	size_t at = 0;
	double sum = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		sum += row[i];
		if (row[i] < k.min)
			k.min = row[i];
		if (row[i] > k.max) {
			k.max = row[i];
			at = i;
		}
	}
	k.max_process = s->processes[at];
	k.mean = sum / (double)s->process_count;
	k.recoverable = k.max > k.mean ? k.max - k.mean : 0;
	return k;
}

/* A path is complete: keep it, and add it to its caller's. */
static void leave(struct skews *s, const struct level *level,
		  struct level *above)
{
	struct skew k = summarize(s, level->path, level->row);

	k.explained = level->callee >= EXPLAINED * k.recoverable;
	if (level->path && k.max > 0)
		s->at[s->count++] = k;
	if (!above)
		return;
	if (k.recoverable > above->callee)
		above->callee = k.recoverable;
	for (size_t i = 0; i < s->process_count; i++)
		above->row[i] += level->row[i];
}

static void walk(struct skews *s, struct level *levels)
{
	const struct paths *paths = s->paths;
	size_t depth = 0;

	for (uint32_t p = 0; p < paths->count; p++) {
		while (depth && paths->at[levels[depth - 1].path].end <= p) {
			depth--;
			leave(s, &levels[depth],
			      depth ? &levels[depth - 1] : NULL);
		}
		levels[depth].path = p;
		levels[depth].callee = 0;
		for (size_t i = 0; i < s->process_count; i++)
			levels[depth].row[i] = 0;
		add_nodes(s, paths->first[p], paths->first[p + 1],
			  levels[depth].row);
		depth++;
	}
	while (depth--)
		leave(s, &levels[depth], depth ? &levels[depth - 1] : NULL);
}

static size_t deepest(const struct paths *paths, uint32_t *depth)
{
	size_t most = 0;

	for (size_t i = 0; i < paths->count; i++) {
		depth[i] = i ? depth[paths->at[i].parent] + 1 : 1;
		if (depth[i] > most)
			most = depth[i];
	}
	return most;
}

static int compare(const void *a, const void *b)
{
	const struct skew *x = a, *y = b;

	if (x->recoverable != y->recoverable)
		return x->recoverable < y->recoverable ? 1 : -1;
	return x->path < y->path ? -1 : x->path > y->path;
}

/* Compare all paths, with one row of memory per level of the tree. */
static int compare_all(struct skews *s)
{
	uint32_t *depth = calloc(s->paths->count + 1, sizeof(*depth));
	size_t most = depth ? deepest(s->paths, depth) : 0;
	struct level *levels = calloc(most + 1, sizeof(*levels));
	double *rows = calloc((most + 1) * s->process_count, sizeof(*rows));
	int err = 0;

	if (depth && levels && rows) {
		for (size_t i = 0; i < most; i++)
			levels[i].row = rows + i * s->process_count;
		walk(s, levels);
		qsort(s->at, s->count, sizeof(*s->at), compare);
	} else {
		err = fail(-ENOMEM, "out of memory");
	}
	free(depth);
	free(levels);
	free(rows);
	return err;
}

int skew_init(struct skews *s, const struct paths *paths,
	      const struct run_metric *metric)
{
	const struct run *run = paths->run;
	int err;

	*s = (struct skews){ .paths = paths, .metric = metric };
	s->processes = value_processes(run, &s->process_count);
	s->column = calloc(run->rank_count + 1, sizeof(*s->column));
	s->at = calloc(paths->count + 1, sizeof(*s->at));
	if (!s->processes || !s->column || !s->at) {
		skew_fini(s);
		return fail(-ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < run->rank_count; i++)
		s->column[i] = UINT32_MAX;
	for (size_t i = 0; i < s->process_count; i++)
		s->column[s->processes[i]] = (uint32_t)i;
	err = s->process_count ? compare_all(s) : 0;
	if (err)
		skew_fini(s);
	return err;
}

void skew_fini(struct skews *s)
{
	free(s->processes);
	free(s->column);
	free(s->at);
	*s = (struct skews){ 0 };
}
