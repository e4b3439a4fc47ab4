/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-sums.c - walk the paths depth first with a row of sums for each level
 * of the tree: for the ranks of each tile by itself, by several threads, whose
 * rows stay in the cache; of other runs, for all ranks at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "base/err.h"
#include "run/path-sums.h"
#include "run/spill.h"
#include "run/values.h"
#include "base/ordered-pool.h"
#include "profile/store/store.h"

#define ROWS_MEMORY ((size_t)32 << 20) /* and a file for more */

struct summing {
	const struct paths *paths;
	const struct run_metric *metric;
	size_t index;              /* of the metric */
	const struct tiles *tiles; /* NULL: values are anywhere */
	struct path_sum *sums;
	size_t depth; /* of the paths */
	/* Rows that are wanted: */
	uint32_t *row_of; /* by path, + 1; NULL: none is */
	size_t row_count;
	struct spill *rows;
	uint64_t *rows_at; /* of each slice */
};

/*
 * A slice: some of the ranks, those of a tile or all.
 */

struct level {
	uint32_t path;
	uint64_t *row; /* one for each rank of the slice */
};

struct slice {
	const struct summing *s;
	size_t number, ranks, members;
	uint32_t base; /* the first rank */
	struct path_sum *sums;
	uint64_t *below; /* values of a path and what it calls */
	struct level *levels;
	uint64_t *rows, *wanted;
	size_t depth;
	struct tile_values tile;
	struct value_buffer buffer;
};

static size_t slice_ranks(const struct summing *s, size_t number)
{
	size_t ranks = s->paths->run->rank_count, left;

	if (!s->tiles)
		return ranks;
	left = ranks - number * TILE_RANKS;
	return left < TILE_RANKS ? left : TILE_RANKS;
}

static size_t slice_count(const struct summing *s)
{
	return s->tiles ? tiles_count(s->tiles) : 1;
}

static uint64_t node_count(const struct slice *w, uint32_t node)
{
	if (w->s->tiles)
		return w->tile.first[node + 1] - w->tile.first[node];
	return w->s->metric->first[node + 1] - w->s->metric->first[node];
}

/* The member `rank` of a value is of the slice. */
static int sum_node_values(struct slice *w, uint32_t node,
			   const struct run_value **at, size_t *count)
{
	const struct summing *s = w->s;

	if (!s->tiles)
		return values_of_node(s->paths->run, s->index, node, &w->buffer,
				      at, count);
	*at = w->tile.at + w->tile.first[node];
	*count = node_count(w, node);
	return 0;
}

/* In a slice with members. */
static void summarize_path(struct path_sum *sum, const uint64_t *row,
			   size_t members)
{
	struct path_sum is = { .min = row[0], .max = row[0] };

	for (size_t i = 0; i < members; i++) {
		is.sum += (double)row[i];
		if (row[i] < is.min) {
			is.min = row[i];
			is.min_rank = (uint32_t)i;
		}
		if (row[i] > is.max) {
			is.max = row[i];
			is.max_rank = (uint32_t)i;
		}
	}
	*sum = is;
}

/* A path is complete: keep it, and add it to its caller's. */
static void leave_path(struct slice *w)
{
	const struct level *level = &w->levels[--w->depth];
	uint32_t path = level->path;
	uint32_t wanted = w->s->row_of ? w->s->row_of[path] : 0;

	if (w->members)
		summarize_path(&w->sums[path], level->row, w->members);
	if (w->depth) {
		uint64_t *above = level[-1].row;

		for (size_t i = 0; i < w->ranks; i++)
			above[i] += level->row[i];
	}
	if (wanted)
		memcpy(w->wanted + (wanted - 1) * w->ranks, level->row,
		       w->ranks * sizeof(*level->row));
}

static uint64_t *enter_path(struct slice *w, uint32_t path)
{
	struct level *level = &w->levels[w->depth++];

	level->path = path;
	memset(level->row, 0, w->ranks * sizeof(*level->row));
	return level->row;
}

/* One node and nothing below: a row of its own is not needed. */
static bool is_leaf(const struct slice *w, uint32_t path)
{
	const struct paths *p = w->s->paths;

	return path && p->first[path + 1] - p->first[path] == 1 &&
	       w->below[path] == node_count(w, p->nodes[p->first[path]]) &&
	       !(w->s->row_of && w->s->row_of[path]);
}

/* The values of a node, by rank, of which those without have 0. */
static void sum_leaf(struct path_sum *to, const struct run_value *values,
		     size_t count, size_t members)
{
	struct path_sum sum = { .min = UINT64_MAX };
	uint32_t gap = 0;

	for (size_t i = 0; i < count && values[i].rank < members; i++) {
		uint64_t value = values[i].value;
		uint32_t rank = values[i].rank;

		gap += rank == gap;
		sum.sum += (double)value;
		if (value < sum.min) {
			sum.min = value;
			sum.min_rank = rank;
		}
		if (value > sum.max) {
			sum.max = value;
			sum.max_rank = rank;
		}
	}
	if (gap < members && (sum.min || gap < sum.min_rank)) {
		sum.min = 0;
		sum.min_rank = gap;
	}
	*to = sum;
}

static int add_leaf(struct slice *w, uint32_t path)
{
	const struct paths *p = w->s->paths;
	uint64_t *above = w->levels[w->depth - 1].row;
	const struct run_value *values;
	size_t count;
	int err = sum_node_values(w, p->nodes[p->first[path]], &values, &count);

	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		above[values[i].rank] += values[i].value;
	if (w->members)
		sum_leaf(&w->sums[path], values, count, w->members);
	return 0;
}

static int add_path_sums(struct slice *w, uint32_t path)
{
	const struct paths *p = w->s->paths;
	uint64_t *row = enter_path(w, path);
	int err = 0;

	for (uint32_t i = p->first[path]; i < p->first[path + 1] && !err; i++) {
		const struct run_value *values;
		size_t count = 0;

		err = sum_node_values(w, p->nodes[i], &values, &count);
		for (size_t k = 0; k < count && !err; k++)
			row[values[k].rank] += values[k].value;
	}
	return err;
}

static int walk_slice(struct slice *w)
{
	const struct paths *p = w->s->paths;
	int err = 0;

	for (uint32_t path = 0; path < p->count && !err;) {
		while (w->depth &&
		       p->at[w->levels[w->depth - 1].path].end <= path)
			leave_path(w);
		if (path && !w->below[path]) {
			path = p->at[path].end;
			continue;
		}
		err = is_leaf(w, path) ? add_leaf(w, path)
				       : add_path_sums(w, path);
		path++;
	}
	while (w->depth && !err)
		leave_path(w);
	return err;
}

static void count_below(struct slice *w)
{
	const struct paths *p = w->s->paths;

	for (size_t path = p->count; path-- > 0;) {
		for (uint32_t i = p->first[path]; i < p->first[path + 1]; i++)
			w->below[path] += node_count(w, p->nodes[i]);
		if (path)
			w->below[p->at[path].parent] += w->below[path];
	}
}

static void slice_fini(struct slice *w)
{
	free(w->sums);
	free(w->below);
	free(w->levels);
	free(w->rows);
	free(w->wanted);
	tile_values_fini(&w->tile);
	value_buffer_fini(&w->buffer);
}

static int slice_init(struct slice *w, const struct summing *s, size_t number)
{
	size_t ranks = slice_ranks(s, number), paths = s->paths->count;
	size_t members = s->paths->run->member_count;

	*w = (struct slice){ .s = s, .number = number, .ranks = ranks };
	w->base = (uint32_t)(number * TILE_RANKS);
	w->members = members > w->base ? members - w->base : 0;
	w->members = w->members < ranks ? w->members : ranks;
	w->sums = calloc(paths + 1, sizeof(*w->sums));
	w->below = calloc(paths + 1, sizeof(*w->below));
	w->levels = calloc(s->depth + 1, sizeof(*w->levels));
	w->rows = calloc((s->depth + 1) * (ranks + 1), sizeof(*w->rows));
	w->wanted = calloc(s->row_count * ranks + 1, sizeof(*w->wanted));
	if (!w->sums || !w->below || !w->levels || !w->rows || !w->wanted)
		return no_memory();
	for (size_t i = 0; i < s->depth; i++)
		w->levels[i].row = w->rows + i * ranks;
	return 0;
}

static int make_slice(void *of, size_t i, void **item)
{
	struct summing *s = of;
	struct slice w;
	int err = slice_init(&w, s, i);

	if (!err && s->tiles)
		err = tile_by_node(s->tiles, s->index, i, &w.tile);
	if (!err) {
		count_below(&w);
		err = walk_slice(&w);
	}
	if (!err && s->row_count)
		err = spill_put(s->rows, w.wanted,
				s->row_count * w.ranks * sizeof(*w.wanted),
				&s->rows_at[i]);
	if (!err) {
		*item = w.sums;
		w.sums = NULL;
	}
	slice_fini(&w);
	return err;
}

/* Ranks without a value have 0, and the lowest of equals counts. */
static void add_sum(struct path_sum *to, const struct path_sum *from,
		    uint32_t base)
{
	to->sum += from->sum;
	if (from->min < to->min) {
		to->min = from->min;
		to->min_rank = base + from->min_rank;
	}
	if (from->max > to->max) {
		to->max = from->max;
		to->max_rank = base + from->max_rank;
	}
}

static int take_slice(void *of, size_t i, void *item)
{
	struct summing *s = of;
	const struct path_sum *sums = item;
	uint32_t base = (uint32_t)(i * TILE_RANKS);

	if (!i)
		memcpy(s->sums, sums, s->paths->count * sizeof(*sums));
	else if (base < s->paths->run->member_count)
		for (size_t p = 0; p < s->paths->count; p++)
			add_sum(&s->sums[p], &sums[p], base);
	free(item);
	return 0;
}

/*
 * All slices.
 */

static bool find_depth(struct summing *s)
{
	const struct paths *paths = s->paths;
	uint32_t *depth = calloc(paths->count + 1, sizeof(*depth));

	if (!depth)
		return false;
	for (size_t i = 0; i < paths->count; i++) {
		depth[i] = i ? depth[paths->at[i].parent] + 1 : 1;
		if (depth[i] > s->depth)
			s->depth = depth[i];
	}
	free(depth);
	return true;
}

static void number_rows_above(struct summing *s, uint32_t *stack, size_t *depth,
			      size_t path)
{
	while (*depth && s->paths->at[stack[*depth - 1]].end <= path)
		s->row_of[stack[--*depth]] = (uint32_t)++s->row_count;
}

/* Rows are numbered as their paths are complete. */
static bool number_path_rows(struct summing *s, const bool *wanted)
{
	size_t count = s->paths->count, depth = 0;
	uint32_t *stack = calloc(s->depth + 1, sizeof(*stack));

	s->row_of = calloc(count + 1, sizeof(*s->row_of));
	for (uint32_t p = 0; stack && s->row_of && p < count; p++) {
		number_rows_above(s, stack, &depth, p);
		if (wanted[p])
			stack[depth++] = p;
	}
	if (stack && s->row_of)
		number_rows_above(s, stack, &depth, count);
	free(stack);
	return stack && s->row_of;
}

/* Of a run that is not made of tiles, there is memory for all values, too. */
static bool summing_rows_init(struct summing *s, const bool *wanted)
{
	size_t size;

	if (!wanted)
		return true;
	if (!number_path_rows(s, wanted))
		return false;
	size = s->row_count * s->paths->run->rank_count * sizeof(uint64_t);
	s->rows = s->tiles && size > ROWS_MEMORY
			  ? spill_new(tiles_directory(s->tiles), ROWS_MEMORY)
			  : spill_new(".", size + 1);
	s->rows_at = calloc(slice_count(s) + 1, sizeof(*s->rows_at));
	return s->rows && s->rows_at;
}

/* Row by row, put together from the slices. */
static int give_rows(const struct summing *s, const struct row_taker *taker)
{
	size_t ranks = s->paths->run->rank_count;
	uint64_t *row = calloc(ranks + 1, sizeof(*row));
	int err = row ? 0 : no_memory();

	for (size_t i = 0; i < s->row_count && !err; i++) {
		uint64_t *to = row;

		for (size_t k = 0; k < slice_count(s) && !err; k++) {
			size_t n = slice_ranks(s, k), size = n * sizeof(*row);

			err = spill_get(s->rows, s->rows_at[k] + i * size, size,
					to);
			to += n;
		}
		if (!err)
			err = taker->take(taker->of, row);
	}
	free(row);
	return err;
}

static void put_row_numbers(struct summing *s)
{
	for (size_t p = 0; p < s->paths->count; p++)
		s->sums[p].row = s->row_of[p];
}

static int sum_up_paths(struct summing *s, const struct row_taker *taker)
{
	const struct run_source *source = s->paths->run->source;
	struct ordered_work work = { .count = slice_count(s),
				     .make = make_slice,
				     .take = take_slice,
				     .drop = free,
				     .of = s };
	int err = -ENOMEM;

	s->sums = calloc(s->paths->count + 1, sizeof(*s->sums));
	if (!s->sums || !find_depth(s) ||
	    !summing_rows_init(s, taker ? taker->wanted : NULL))
		return no_memory();
	err = ordered_pool_run(&work, source ? source->threads : 1);
	if (!err && taker) {
		put_row_numbers(s);
		err = give_rows(s, taker);
	}
	return err;
}

struct path_sum *path_sums_make(const struct paths *paths,
				const struct run_metric *metric,
				const struct row_taker *taker)
{
	const struct run_source *source = paths->run->source;
	struct summing s = { .paths = paths,
			     .metric = metric,
			     .index = (size_t)(metric - paths->run->metrics) };
	int err;

	s.tiles = source ? source->tiles : NULL;
	err = sum_up_paths(&s, taker);
	spill_free(s.rows);
	free(s.rows_at);
	free(s.row_of);
	if (!err)
		return s.sums;
	free(s.sums);
	return NULL;
}

/*
 * The sums of a run that was loaded.
 */

/* The database's paths are these, and not those of another version. */
static bool is_metric_known(const struct paths *paths,
			    const struct run_metric *m)
{
	const struct run *run = paths->run;

	return m->sums && run->path_of && run->path_count == paths->count &&
	       !memcmp(run->path_of, paths->of,
		       run->node_count * sizeof(*paths->of));
}

static bool is_idle(const struct paths *paths, const struct run_metric *m,
		    uint32_t path)
{
	return m->idle && m->idle->nodes[paths->at[path].node];
}

/* Nothing is above what is left out but the root. */
static int leave_out_metric(const struct paths *paths,
			    const struct run_metric *m, struct path_sum *sums)
{
	const struct run *run = paths->run;
	uint64_t *row = calloc(run->rank_count + 1, sizeof(*row));
	int err = row ? path_row(paths, m, 0, row) : no_memory();

	for (uint32_t p = 1; p < paths->count; p++)
		if (is_idle(paths, m, p))
			sums[p] = (struct path_sum){ 0 };
	if (!err)
		summarize_path(&sums[0], row, run->member_count);
	free(row);
	return err;
}

static struct path_sum *known_sums(const struct paths *paths,
				   const struct run_metric *metric)
{
	struct path_sum *sums = calloc(paths->count + 1, sizeof(*sums));

	if (sums)
		memcpy(sums, metric->sums, paths->count * sizeof(*sums));
	else
		no_memory();
	return sums;
}

struct path_sum *path_sums(const struct paths *paths,
			   const struct run_metric *metric)
{
	struct path_sum *sums = is_metric_known(paths, metric)
					? known_sums(paths, metric)
					: path_sums_make(paths, metric, NULL);

	if (!sums || !metric->idle || !leave_out_metric(paths, metric, sums))
		return sums;
	free(sums);
	return NULL;
}

static int add_row_sums(const struct run *run, const struct run_metric *m,
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

ORDER_BY(by_node_number, uint32_t, ORDER(*a, *b))

/*
 * Nodes of a path are anywhere in the tree, and neighbours are read at once: in
 * their order each part of a run.h5 is read once.
 */
static int add_node_sums(const struct paths *paths, const struct run_metric *m,
			 uint32_t *nodes, size_t count, uint64_t *to)
{
	struct value_buffer buffer = { 0 };
	int err = 0;

	qsort(nodes, count, sizeof(*nodes), by_node_number);
	for (size_t i = 0; i < count && !err; i++)
		err = values_add_up(paths->run, m, nodes[i], &buffer, to);
	value_buffer_fini(&buffer);
	return err;
}

/* Those of a path alone, behind *count others. */
static void list_path_nodes(const struct paths *paths, uint32_t path,
			    uint32_t *nodes, size_t *count)
{
	for (uint32_t i = paths->first[path]; i < paths->first[path + 1]; i++)
		nodes[(*count)++] = paths->nodes[i];
}

/* The rows of the database that are in the path, and the nodes beside them. */
static int add_known_rows(const struct paths *paths, const struct run_metric *m,
			  uint32_t path, uint32_t *nodes, size_t *count,
			  uint64_t *to)
{
	const struct run *run = paths->run;
	const struct path_sum *sums =
		is_metric_known(paths, m) ? m->sums : NULL;
	uint64_t *room = calloc(run->rank_count + 1, sizeof(*room));
	int err = room ? 0 : no_memory();

	for (uint32_t p = path, end = paths->at[path].end; p < end && !err;) {
		bool row = sums && sums[p].row && !is_idle(paths, m, p) &&
			   (p || !m->idle);

		if (row)
			err = add_row_sums(run, m, sums[p].row, room, to);
		else
			list_path_nodes(paths, p, nodes, count);
		p = row ? paths->at[p].end : p + 1;
	}
	free(room);
	return err;
}

int path_row(const struct paths *paths, const struct run_metric *m,
	     uint32_t path, uint64_t *to)
{
	size_t count = paths->first[paths->at[path].end] - paths->first[path];
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	int err = nodes ? 0 : no_memory();

	count = 0;
	memset(to, 0, paths->run->rank_count * sizeof(*to));
	if (!err)
		err = add_known_rows(paths, m, path, nodes, &count, to);
	if (!err)
		err = add_node_sums(paths, m, nodes, count, to);
	free(nodes);
	return err;
}

int path_own_row(const struct paths *paths, const struct run_metric *m,
		 uint32_t path, uint64_t *to)
{
	size_t count = paths->first[path + 1] - paths->first[path];
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	int err = nodes ? 0 : no_memory();

	count = 0;
	memset(to, 0, paths->run->rank_count * sizeof(*to));
	if (!err) {
		list_path_nodes(paths, path, nodes, &count);
		err = add_node_sums(paths, m, nodes, count, to);
	}
	free(nodes);
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
