/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-sums-file.c - the sums of paths, and the rows of some, in run.h5.
 *
 * Which have a row is decided from the bottom: a path that would have to be
 * added up from ROW_COST values for each process or more, where the row of one
 * below counts as one for each.  So there is a row for every ROW_COST values of
 * a process, at most.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/path-sums.h"
#include "run/values.h"
#include "profile/store/deflate.h"
#include "profile/metric-group.h"
#include "profile/store/store.h"

enum {
	ROW_COST = 32,
	COST_LEAST = 1 << 16, /* values: they are read in one go */
	CHUNK = 1 << 16,      /* values */
};

#define SUM(member) STORE_FIELD(struct path_sum, member)
static const struct store_field sum_fields[] = {
	SUM(sum),      SUM(min), SUM(max), SUM(min_rank),
	SUM(max_rank), SUM(row), { 0 },
};

#define PATH(member) STORE_FIELD(struct path, member)
static const struct store_field path_fields[] = {
	PATH(parent),
	PATH(end),
	PATH(node),
	{ 0 },
};

struct sum_rows {
	struct store_column *column;
	uint64_t *chunk;
	void *work, *packed;
	size_t size, used,
		index; /* values of a chunk; of this one; of chunks */
};

static int flush_rows(struct sum_rows *r)
{
	size_t bytes;

	memset(r->chunk + r->used, 0, (r->size - r->used) * sizeof(*r->chunk));
	bytes = deflate_chunk(r->packed, r->chunk, r->size, sizeof(*r->chunk),
			      DEFLATE_QUICK, r->work);
	r->used = 0;
	return bytes ? store_column_chunk(r->column, r->index++, r->packed,
					  bytes)
		     : no_memory();
}

struct sums_saving {
	struct sum_rows rows;
	size_t ranks;
};

static int take_row(void *of, const uint64_t *row)
{
	struct sums_saving *s = of;
	struct sum_rows *r = &s->rows;
	int err = 0;

	for (size_t i = 0; i < s->ranks && !err; i++) {
		r->chunk[r->used++] = row[i];
		if (r->used == r->size)
			err = flush_rows(r);
	}
	return err;
}

/* Which paths have a row, and how many have. */
static bool *plan_rows(const struct paths *paths, const struct run_metric *m,
		       size_t *count)
{
	uint64_t ranks = paths->run->rank_count, most = ROW_COST * ranks;
	bool *wanted = calloc(paths->count + 1, sizeof(*wanted));
	uint64_t *cost = calloc(paths->count + 1, sizeof(*cost));

	most = most > COST_LEAST ? most : COST_LEAST;
	*count = 0;
	for (size_t p = paths->count; wanted && cost && p-- > 0;) {
		for (uint32_t i = paths->first[p]; i < paths->first[p + 1]; i++)
			cost[p] += m->first[paths->nodes[i] + 1] -
				   m->first[paths->nodes[i]];
		wanted[p] = cost[p] > (p ? most : 0);
		*count += wanted[p];
		if (p)
			cost[paths->at[p].parent] +=
				wanted[p] ? ranks : cost[p];
	}
	if (!cost) {
		free(wanted);
		wanted = NULL;
	}
	free(cost);
	return wanted;
}

static bool sum_rows_init(struct sum_rows *r, struct store *s, const char *name,
			  size_t values)
{
	size_t bytes;

	r->size = values < CHUNK ? values : CHUNK;
	bytes = r->size * sizeof(*r->chunk);
	r->chunk = malloc(bytes);
	r->work = malloc(bytes);
	r->packed = malloc(deflate_most(bytes));
	if (!r->chunk || !r->work || !r->packed)
		return false;
	r->column = store_column_new(s, name, STORE_U64, values, r->size);
	return true;
}

static void rows_fini(struct sum_rows *r)
{
	store_column_close(r->column);
	free(r->chunk);
	free(r->work);
	free(r->packed);
}

static int make_and_save(struct store *s, const struct paths *paths,
			 const struct run_metric *m, struct sums_saving *saving,
			 const bool *wanted)
{
	char name[METRIC_PATH_SIZE];
	struct row_taker taker = { wanted, take_row, saving };
	struct path_sum *sums =
		path_sums_make(paths, m, saving->rows.column ? &taker : NULL);
	int err = sums ? 0 : -EIO;

	if (!err && saving->rows.used)
		err = flush_rows(&saving->rows);
	if (!err)
		store_put_table(s, metric_path(name, m->name, "paths"),
				sum_fields, sums, sizeof(*sums), paths->count);
	free(sums);
	return err;
}

void path_sums_save(struct store *s, const struct paths *paths, size_t metric)
{
	const struct run_metric *m = &paths->run->metrics[metric];
	struct sums_saving saving = { .ranks = paths->run->rank_count };
	char name[METRIC_PATH_SIZE], why[300];
	size_t rows = 0;
	bool *wanted = plan_rows(paths, m, &rows);
	int err = wanted ? 0 : no_memory();

	metric_path(name, m->name, "rows");
	if (!err && !rows)
		store_put(s, name, STORE_U64, NULL, 0);
	else if (!err &&
		 !sum_rows_init(&saving.rows, s, name, rows * saving.ranks))
		err = no_memory();
	if (!err && !store_error(s))
		err = make_and_save(s, paths, m, &saving, wanted);
	snprintf(why, sizeof(why), "%s", fail_reason());
	if (err && !store_error(s))
		store_fail(s, err, "%s", why);
	rows_fini(&saving.rows);
	free(wanted);
}

void path_sums_load(struct store *s, const struct run *run, const char *group,
		    struct run_metric *m, struct source_metric *source)
{
	char name[METRIC_PATH_SIZE];
	size_t sums = 0, values = 0;
	bool good;

	if (!run->path_of || !store_has(s, metric_path(name, group, "paths")))
		return;
	m->sums = store_get_table(s, name, sum_fields, sizeof(*m->sums), &sums);
	source->rows = store_column_open(s, metric_path(name, group, "rows"),
					 STORE_U64, &values);
	good = sums == run->path_count;
	for (size_t i = 0; i < sums && good; i++)
		good = m->sums[i].min_rank < run->rank_count &&
		       m->sums[i].max_rank < run->rank_count &&
		       (!m->sums[i].row ||
			m->sums[i].row <= values / run->rank_count);
	if (!good)
		store_fail(s, -EINVAL, "damaged: the paths of '%s'", group);
}

void paths_save(struct store *s, const struct paths *paths)
{
	store_put_table(s, "paths", path_fields, paths->at, sizeof(*paths->at),
			paths->count);
	store_put(s, "nodes/path", STORE_U32, paths->of,
		  paths->run->node_count);
}

/* Only what shows whether they are ours. */
void paths_load(struct store *s, struct run *run)
{
	struct path *at;
	size_t count = 0;

	if (!store_has(s, "nodes/path"))
		return;
	at = store_get_table(s, "paths", path_fields, sizeof(*at),
			     &run->path_count);
	free(at);
	run->path_of = store_get(s, "nodes/path", STORE_U32, &count);
	if (count != run->node_count)
		store_fail(s, -EINVAL, "damaged: the paths of nodes");
}
