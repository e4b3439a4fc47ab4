/* SPDX-License-Identifier: BSD-3-Clause */
/* by-rank.c - add up what each rank has in paths of several runs. */
#include <stdlib.h>

#include "analyse/compare/by-rank.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "run/path-sums.h"
#include "run/values.h"

#define ROOM (4u << 20) /* values of one side that are held at once */
#define MANY 64         /* rows: most values are read, and some often */

static size_t common_ranks(const struct sides *s)
{
	size_t ranks = s->runs[0]->member_count;

	for (size_t r = 1; r < s->count; r++)
		if (s->runs[r]->member_count != ranks)
			return 0;
	return s->runs[0]->world && ranks > 1 ? ranks : 0;
}

size_t by_rank_rows(const struct sides *s)
{
	size_t ranks = common_ranks(s);

	return ranks && ranks < ROOM ? ROOM / ranks : 1;
}

/* A path of a run goes to the rows of what it is in the union, and above. */
struct adding {
	struct by_rank *to;
	const struct sides *sides;
	const struct paths *paths; /* of run r */
	const struct run_metric *metric;
	uint64_t *values;     /* of one path */
	bool *is_in, *is_all; /* of the run's paths: in the row, with all below
			       */
	size_t run;
};

static uint32_t path_in_union(const struct adding *a, uint32_t path)
{
	return a->sides->paths.of[a->run][a->paths->at[path].node];
}

/* In the union, the path is the wanted one, or below it. */
static bool is_below(const struct adding *a, uint32_t path, uint32_t wanted)
{
	uint32_t p = path_in_union(a, path);

	while (p > wanted)
		p = a->sides->paths.at[p].parent;
	return p == wanted;
}

static int add_path_of_rank(const struct adding *a, uint32_t path, size_t row)
{
	int (*values)(const struct paths *, const struct run_metric *, uint32_t,
		      uint64_t *) = a->is_all[path] ? path_row : path_own_row;
	const struct sides *s = a->sides;
	double *to = a->run < s->base ? a->to->base : a->to->now;
	size_t runs = a->run < s->base ? s->base : s->count - s->base;
	double scale = value_of(a->metric->unit, 1) / (double)runs;
	int err = values(a->paths, a->metric, path, a->values);

	for (size_t i = 0; i < a->to->ranks && !err; i++)
		to[row * a->to->ranks + i] += (double)a->values[i] * scale;
	return err;
}

/* What is below a path of the run may be elsewhere in the union. */
static void mark_below(const struct adding *a, uint32_t wanted)
{
	for (size_t p = 0; p < a->paths->count; p++)
		a->is_in[p] = a->is_all[p] = is_below(a, (uint32_t)p, wanted);
	for (size_t p = a->paths->count; p-- > 1;)
		if (!a->is_all[p])
			a->is_all[a->paths->at[p].parent] = false;
}

/* All of a path of the union. */
static int add_row_of_rank(const struct adding *a, uint32_t wanted, size_t row)
{
	int err = 0;

	mark_below(a, wanted);
	for (uint32_t p = 0; p < a->paths->count && !err;) {
		if (a->is_in[p])
			err = add_path_of_rank(a, p, row);
		p = a->is_all[p] ? a->paths->at[p].end : p + 1;
	}
	return err;
}

static int add_run_of_side(struct by_rank *b, const struct sides *s,
			   const char *metric, size_t r, const uint32_t *wanted,
			   size_t rows)
{
	const struct run *run = s->runs[r];
	struct paths paths;
	struct adding a = { .to = b,
			    .sides = s,
			    .paths = &paths,
			    .metric = run_metric(run, metric),
			    .run = r };
	int err;

	if (!a.metric)
		return 0;
	err = paths_init(&paths, run);
	if (err)
		return err;
	a.values = calloc(run->rank_count + 1, sizeof(*a.values));
	a.is_in = calloc(paths.count + 1, sizeof(*a.is_in));
	a.is_all = calloc(paths.count + 1, sizeof(*a.is_all));
	if (!a.values || !a.is_in || !a.is_all)
		err = no_memory();
	if (rows > MANY)
		values_keep(run, a.metric);
	for (size_t i = 0; i < rows && !err; i++)
		err = add_row_of_rank(&a, wanted[i], i + 1);
	free(a.values);
	free(a.is_in);
	free(a.is_all);
	paths_fini(&paths);
	return err;
}

int by_rank_init(struct by_rank *b, const struct sides *s, const char *metric,
		 const uint32_t *paths, size_t rows)
{
	int err = 0;

	*b = (struct by_rank){ .ranks = common_ranks(s) };
	b->base = calloc((rows + 1) * b->ranks + 1, sizeof(*b->base));
	b->now = calloc((rows + 1) * b->ranks + 1, sizeof(*b->now));
	if (!b->base || !b->now)
		return no_memory();
	for (size_t r = 0; r < s->count && b->ranks && !err; r++)
		err = add_run_of_side(b, s, metric, r, paths, rows);
	return err;
}

void by_rank_fini(struct by_rank *b)
{
	free(b->base);
	free(b->now);
	*b = (struct by_rank){ 0 };
}

double by_rank_change(const struct by_rank *b, size_t row, size_t rank)
{
	size_t at = (row + 1) * b->ranks + rank;

	return b->now[at] - b->base[at];
}

size_t by_rank_most(const struct by_rank *b, size_t row, double change)
{
	double sign = change < 0 ? -1 : 1;
	size_t most = 0;

	for (size_t rank = 1; rank < b->ranks; rank++)
		if (sign * by_rank_change(b, row, rank) >
		    sign * by_rank_change(b, row, most))
			most = rank;
	return most;
}
