/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-sums.c - walk the paths depth first with a row of sums for each level
 * of the tree, while other threads unpack the values of the next ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "merge/path-sums.h"
#include "merge/values.h"
#include "merge/work.h"
#include "profile/store.h"

enum {
	PATHS_AT_ONCE = 16
};

/*
 * The values of some paths.
 */

struct bundle { /* of paths from … from + PATHS_AT_ONCE - 1 */
	struct run_value *at;
	size_t count, room;
	size_t ends[PATHS_AT_ONCE];
};

static void bundle_drop(void *item)
{
	struct bundle *b = item;

	free(b->at);
	free(b);
}

struct level {
	uint32_t path;
	uint64_t *row; /* one for each of the run's ranks */
};

struct walk {
	const struct paths *paths;
	const struct run_metric *metric;
	const struct row_taker *taker;
	struct path_sum *sums;
	uint64_t *below; /* values of a path and what it calls */
	struct level *levels;
	uint64_t *rows;
	size_t depth;
	uint32_t taken;
};

static uint64_t own_values(const struct paths *paths,
			   const struct run_metric *m, uint32_t path)
{
	uint64_t count = 0;

	for (uint32_t i = paths->first[path]; i < paths->first[path + 1]; i++)
		count += m->first[paths->nodes[i] + 1] -
			 m->first[paths->nodes[i]];
	return count;
}

static int append(struct bundle *b, const struct run_value *values,
		  size_t count)
{
	if (b->room - b->count < count) {
		size_t room = b->room + b->room / 2 + count;
		struct run_value *at = reallocarray(b->at, room, sizeof(*at));

		if (!at)
			return fail(-ENOMEM, "out of memory");
		b->at = at;
		b->room = room;
	}
	if (count)
		memcpy(b->at + b->count, values, count * sizeof(*values));
	b->count += count;
	return 0;
}

static int add_path(const struct walk *w, struct bundle *b, uint32_t path,
		    struct value_buffer *buffer)
{
	const struct run *run = w->paths->run;
	size_t metric = (size_t)(w->metric - run->metrics), count;
	const struct run_value *values;
	int err = 0;

	for (uint32_t i = w->paths->first[path];
	     i < w->paths->first[path + 1] && !err; i++) {
		err = values_of_node(run, metric, w->paths->nodes[i], buffer,
				     &values, &count);
		if (!err)
			err = append(b, values, count);
	}
	return err;
}

static int make_bundle(void *of, size_t i, void **item)
{
	const struct walk *w = of;
	struct bundle *b = calloc(1, sizeof(*b));
	struct value_buffer buffer = { 0 };
	size_t from = i * PATHS_AT_ONCE;
	int err = b ? 0 : fail(-ENOMEM, "out of memory");

	for (size_t k = 0; k < PATHS_AT_ONCE && !err; k++) {
		if (from + k < w->paths->count)
			err = add_path(w, b, (uint32_t)(from + k), &buffer);
		b->ends[k] = b->count;
	}
	value_buffer_fini(&buffer);
	if (err && b)
		bundle_drop(b);
	else
		*item = b;
	return err;
}

/*
 * The walk.
 */

static void summarize(struct path_sum *sum, const uint64_t *row, size_t members)
{
	sum->sum = 0;
	sum->min = sum->max = members ? row[0] : 0;
	for (size_t i = 0; i < members; i++) {
		sum->sum += (double)row[i];
		if (row[i] < sum->min) {
			sum->min = row[i];
			sum->min_rank = (uint32_t)i;
		}
		if (row[i] > sum->max) {
			sum->max = row[i];
			sum->max_rank = (uint32_t)i;
		}
	}
}

/* A path is complete: keep it, and add it to its caller's. */
static int leave(struct walk *w)
{
	const struct run *run = w->paths->run;
	const struct level *level = &w->levels[--w->depth];
	uint32_t path = level->path;

	summarize(&w->sums[path], level->row, run->member_count);
	if (w->depth) {
		uint64_t *above = level[-1].row;

		for (size_t i = 0; i < run->rank_count; i++)
			above[i] += level->row[i];
	}
	if (!w->taker || !w->taker->wanted[path])
		return 0;
	w->sums[path].row = ++w->taken;
	return w->taker->take(w->taker->of, level->row);
}

static uint64_t *enter(struct walk *w, uint32_t path)
{
	size_t ranks = w->paths->run->rank_count;
	struct level *level = &w->levels[w->depth++];

	level->path = path;
	memset(level->row, 0, ranks * sizeof(*level->row));
	return level->row;
}

/* One node and nothing below: its extremes are known. */
static bool is_node(const struct walk *w, uint32_t path, size_t own)
{
	const struct paths *p = w->paths;

	return path && own == w->below[path] &&
	       p->first[path + 1] - p->first[path] == 1 &&
	       !(w->taker && w->taker->wanted[path]);
}

static void add_node(struct walk *w, uint32_t path,
		     const struct run_value *values, size_t count)
{
	const struct paths *p = w->paths;
	const struct run_stat *s = &w->metric->stats[p->nodes[p->first[path]]];
	uint64_t *above = w->levels[w->depth - 1].row;
	struct path_sum sum = { .min = s->min,
				.max = s->max,
				.min_rank = s->min_rank,
				.max_rank = s->max_rank };

	for (size_t i = 0; i < count; i++) {
		above[values[i].rank] += values[i].value;
		if (values[i].rank < p->run->member_count)
			sum.sum += (double)values[i].value;
	}
	w->sums[path] = sum;
}

static int visit(struct walk *w, uint32_t path, const struct run_value *values,
		 size_t count)
{
	uint64_t *row;
	int err = 0;

	while (w->depth &&
	       w->paths->at[w->levels[w->depth - 1].path].end <= path && !err)
		err = leave(w);
	if (err || (path && !w->below[path]))
		return err;
	if (is_node(w, path, count)) {
		add_node(w, path, values, count);
		return 0;
	}
	row = enter(w, path);
	for (size_t i = 0; i < count; i++)
		row[values[i].rank] += values[i].value;
	return 0;
}

static int take_bundle(void *of, size_t i, void *item)
{
	struct walk *w = of;
	struct bundle *b = item;
	size_t from = i * PATHS_AT_ONCE, at = 0;
	int err = 0;

	for (size_t k = 0; k < PATHS_AT_ONCE && !err; at = b->ends[k++])
		if (from + k < w->paths->count)
			err = visit(w, (uint32_t)(from + k),
				    b->at ? b->at + at : NULL, b->ends[k] - at);
	bundle_drop(b);
	return err;
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

static bool walk_init(struct walk *w)
{
	const struct paths *paths = w->paths;
	size_t ranks = paths->run->rank_count, most;
	uint32_t *depth = calloc(paths->count + 1, sizeof(*depth));

	if (!depth)
		return false;
	most = deepest(paths, depth);
	free(depth);
	w->sums = calloc(paths->count + 1, sizeof(*w->sums));
	w->below = calloc(paths->count + 1, sizeof(*w->below));
	w->levels = calloc(most + 1, sizeof(*w->levels));
	w->rows = calloc((most + 1) * (ranks + 1), sizeof(*w->rows));
	if (!w->sums || !w->below || !w->levels || !w->rows)
		return false;
	for (size_t i = 0; i < most; i++)
		w->levels[i].row = w->rows + i * ranks;
	for (size_t p = paths->count; p-- > 0;) {
		w->below[p] += own_values(paths, w->metric, (uint32_t)p);
		if (p)
			w->below[paths->at[p].parent] += w->below[p];
	}
	return true;
}

struct path_sum *path_sums_make(const struct paths *paths,
				const struct run_metric *metric,
				const struct row_taker *taker)
{
	struct walk w = { .paths = paths, .metric = metric, .taker = taker };
	struct work work = {
		.count = (paths->count + PATHS_AT_ONCE - 1) / PATHS_AT_ONCE,
		.make = make_bundle,
		.take = take_bundle,
		.drop = bundle_drop,
		.of = &w,
	};
	const struct run_source *source = paths->run->source;
	int err;

	if (walk_init(&w))
		err = work_run(&work, source ? source->threads : 1);
	else
		err = fail(-ENOMEM, "out of memory");
	while (w.depth && !err)
		err = leave(&w);
	free(w.below);
	free(w.levels);
	free(w.rows);
	if (!err)
		return w.sums;
	free(w.sums);
	return NULL;
}

/*
 * What is known of a run that was loaded.
 */

/* The database's paths are these, and not those of another version. */
static bool is_known(const struct paths *paths, const struct run_metric *m)
{
	const struct run *run = paths->run;

	return m->sums && run->path_of && run->path_count == paths->count &&
	       !memcmp(run->path_of, paths->of,
		       run->node_count * sizeof(*paths->of));
}

struct path_sum *path_sums(const struct paths *paths,
			   const struct run_metric *metric)
{
	struct path_sum *sums;

	if (!is_known(paths, metric))
		return path_sums_make(paths, metric, NULL);
	sums = calloc(paths->count + 1, sizeof(*sums));
	if (sums)
		memcpy(sums, metric->sums, paths->count * sizeof(*sums));
	else
		fail(-ENOMEM, "out of memory");
	return sums;
}

static int add_row(const struct run *run, const struct run_metric *m,
		   uint32_t row, uint64_t *room, uint64_t *to)
{
	const struct source_metric *source =
		&run->source->metrics[m - run->metrics];
	int err = store_column_read(source->rows,
				    (size_t)(row - 1) * run->rank_count,
				    run->rank_count, room);

	for (size_t i = 0; i < run->rank_count && !err; i++)
		to[i] += room[i];
	return err;
}

static int add_nodes(const struct paths *paths, const struct run_metric *m,
		     uint32_t path, struct value_buffer *buffer, uint64_t *to)
{
	int err = 0;

	for (uint32_t i = paths->first[path];
	     i < paths->first[path + 1] && !err; i++)
		err = values_add_up(paths->run, m, paths->nodes[i], buffer, to);
	return err;
}

int path_row(const struct paths *paths, const struct run_metric *m,
	     uint32_t path, uint64_t *to)
{
	const struct run *run = paths->run;
	const struct path_sum *sums = is_known(paths, m) ? m->sums : NULL;
	uint64_t *room = calloc(run->rank_count + 1, sizeof(*room));
	struct value_buffer buffer = { 0 };
	int err = room ? 0 : fail(-ENOMEM, "out of memory");

	memset(to, 0, run->rank_count * sizeof(*to));
	for (uint32_t p = path, end = paths->at[path].end; p < end && !err;) {
		bool row = sums && sums[p].row;

		err = row ? add_row(run, m, sums[p].row, room, to)
			  : add_nodes(paths, m, p, &buffer, to);
		p = row ? paths->at[p].end : p + 1;
	}
	value_buffer_fini(&buffer);
	free(room);
	return err;
}

int path_own_row(const struct paths *paths, const struct run_metric *m,
		 uint32_t path, uint64_t *to)
{
	struct value_buffer buffer = { 0 };
	int err;

	memset(to, 0, paths->run->rank_count * sizeof(*to));
	err = add_nodes(paths, m, path, &buffer, to);
	value_buffer_fini(&buffer);
	return err;
}

int path_totals(const struct run *run, const struct run_metric *m, uint64_t *to)
{
	struct paths paths;
	int err = paths_init(&paths, run);

	if (!err)
		err = path_row(&paths, m, 0, to);
	paths_fini(&paths);
	return err;
}
