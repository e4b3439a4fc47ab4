/* SPDX-License-Identifier: BSD-3-Clause */
/* time-grid.c - add up cells of the timeline. */
#include "analyse/time/time-grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

#define SMALL 16   /* of a cell: a path with less counts for its caller */
#define IDLE  0.01 /* of the time: helpers that worked less have no line */

/*
 * Lines.
 */

static bool is_idle_helper(const struct run_timeline *t,
			   const struct run_time_row *row)
{
	uint64_t busy = 0;

	if (row->kind != RUN_TIME_HELPERS)
		return false;
	for (uint32_t c = 0; c < row->cells; c++)
		busy += t->cells[row->first + c].busy;
	return (double)busy < IDLE * t->axes->bins * RUN_TIME_WHOLE;
}

static bool is_of_line(const struct time_grid *g,
		       const struct time_grid_line *line, uint32_t row)
{
	return g->run->timeline.rows[row].kind == line->kind &&
	       !g->left_out[row];
}

static void grid_line_add(struct time_grid *g, struct time_grid_line line)
{
	line.number = g->run->timeline.rows[line.begin].number;
	for (uint32_t i = line.begin; i < line.end; i++)
		line.threads += is_of_line(g, &line, i);
	if (line.threads)
		g->lines[g->line_count++] = line;
}

/* A rank that is alone has a line for each thread and device. */
static void grid_lines_add(struct time_grid *g, const struct rank_group *ranks,
			   uint32_t begin, uint32_t end)
{
	if (ranks->count > 1) {
		for (uint32_t kind = 0; kind < RUN_TIME_KINDS; kind++)
			grid_line_add(g,
				      (struct time_grid_line){ .ranks = *ranks,
							       .kind = kind,
							       .begin = begin,
							       .end = end });
		return;
	}
	for (uint32_t i = begin; i < end; i++)
		grid_line_add(g, (struct time_grid_line){
					 .ranks = *ranks,
					 .kind = g->run->timeline.rows[i].kind,
					 .begin = i,
					 .end = i + 1 });
}

static int make_lines(struct time_grid *g,
		      const struct time_grid_choice *choice)
{
	const struct run_timeline *t = &g->run->timeline;
	uint32_t row = 0;

	g->lines = calloc(t->row_count + 1, sizeof(*g->lines));
	g->left_out = calloc(t->row_count + 1, sizeof(*g->left_out));
	if (!g->lines || !g->left_out)
		return no_memory();
	for (size_t i = 0; i < t->row_count; i++)
		g->left_out[i] = is_idle_helper(t, &t->rows[i]);
	for (size_t i = 0; i < choice->group_count; i++) {
		const struct rank_group *ranks = &choice->groups[i];
		uint32_t begin;

		while (row < t->row_count && t->rows[row].rank < ranks->first)
			row++;
		begin = row;
		while (row < t->row_count &&
		       t->rows[row].rank - ranks->first < ranks->count)
			row++;
		if (row > begin)
			grid_lines_add(g, ranks, begin, row);
	}
	return 0;
}

/*
 * The paths of a cell.
 */

static struct time_grid_path *path_of_cell(struct time_grid *g, size_t first,
					   uint32_t path)
{
	struct time_grid_path none = { .path = path };

	for (size_t i = first; i < g->path_count; i++)
		if (g->at[i].path == path)
			return &g->at[i];
	if (!array_append(&g->at, &g->path_count, &g->path_room, sizeof(*g->at),
			  &none))
		return NULL;
	return &g->at[g->path_count - 1];
}

/* The one furthest down of those that are too small; or path_count. */
static size_t small_path(const struct time_grid *g, const struct paths *paths,
			 size_t first, uint64_t least)
{
	size_t best = g->path_count;

	for (size_t i = first; i < g->path_count; i++)
		if (paths->at[g->at[i].path].parent &&
		    g->at[i].weight < least &&
		    (best == g->path_count || g->at[i].path > g->at[best].path))
			best = i;
	return best;
}

/* As far as the outermost frame. */
static int climb_small(struct time_grid *g, const struct paths *paths,
		       size_t first)
{
	uint64_t all = SMALL - 1;
	size_t i;

	for (i = first; i < g->path_count; i++)
		all += g->at[i].weight;
	while ((i = small_path(g, paths, first, all / SMALL)) < g->path_count) {
		uint32_t weight = g->at[i].weight;
		uint32_t parent = paths->at[g->at[i].path].parent;
		struct time_grid_path *up;

		g->at[i] = g->at[--g->path_count];
		up = path_of_cell(g, first, parent);
		if (!up)
			return -ENOMEM;
		up->weight += weight;
	}
	return 0;
}

ORDER_BY(by_grid_path, struct time_grid_path, ASC(path))

/*
 * Cells.
 */

/* Of helpers, node has a share of their CPU time. */
static uint32_t weight_of_cell(const struct run_time_cell *cell, uint32_t kind)
{
	if (kind == RUN_TIME_GPU)
		return 0;
	return kind == RUN_TIME_HELPERS
		       ? (uint32_t)cell->busy * cell->share / RUN_TIME_WHOLE
		       : cell->share;
}

static int cell_onto(struct time_grid *g, const struct paths *paths, size_t at,
		     size_t first, const struct run_time_cell *cell,
		     uint32_t kind)
{
	uint32_t weight = weight_of_cell(cell, kind);
	uint32_t path = paths->of[cell->node];
	struct time_grid_path *to;

#define PART(name) g->values[TIME_GRID_##name][at] += cell->name;
	TIME_GRID_PARTS(PART)
#undef PART
	if (!weight || !path)
		return 0;
	to = path_of_cell(g, first, path);
	if (!to)
		return -ENOMEM;
	to->weight += weight;
	return 0;
}

static int row_onto_cell(struct time_grid *g, const struct paths *paths,
			 size_t at, size_t first,
			 const struct run_time_row *row, uint32_t column)
{
	uint32_t from = g->first + column * g->each, to = from + g->each;
	int err = 0;

	if (to > g->first + g->bins)
		to = g->first + g->bins;
	if (from < row->first_bin)
		from = row->first_bin;
	if (to > row->first_bin + row->cells)
		to = row->first_bin + row->cells;
	for (uint32_t b = from; b < to && !err; b++)
		err = cell_onto(g, paths, at, first,
				&g->run->timeline.cells[row->first + b -
							row->first_bin],
				row->kind);
	return err;
}

static int make_cell(struct time_grid *g, const struct paths *paths,
		     struct time_grid_line *line, size_t at, uint32_t column)
{
	size_t first = g->path_count;
	int err = 0;

	for (uint32_t i = line->begin; i < line->end && !err; i++)
		if (is_of_line(g, line, i))
			err = row_onto_cell(g, paths, at, first,
					    &g->run->timeline.rows[i], column);
	if (!err)
		err = climb_small(g, paths, first);
	if (err)
		return err;
	if (g->path_count > first)
		qsort(g->at + first, g->path_count - first, sizeof(*g->at),
		      by_grid_path);
	g->ends[at] = g->path_count;
	for (int p = 0; p < TIME_GRID_PART_COUNT; p++)
		line->sums[p] += g->values[p][at];
	return 0;
}

static int make_cells(struct time_grid *g, const struct paths *paths)
{
	size_t count = g->line_count * g->columns;
	int err = 0;

	g->ends = calloc(count + 1, sizeof(*g->ends));
	if (!g->ends)
		return no_memory();
	for (int p = 0; p < TIME_GRID_PART_COUNT; p++) {
		g->values[p] = calloc(count + 1, sizeof(*g->values[p]));
		if (!g->values[p])
			return no_memory();
	}
	for (size_t at = 0; at < count && !err; at++)
		err = make_cell(g, paths, &g->lines[at / g->columns], at,
				(uint32_t)(at % g->columns));
	return err;
}

/* As many columns as there may be, each of equally many bins. */
static void grid_columns_choose(struct time_grid *g,
				const struct time_grid_choice *choice)
{
	uint32_t all = g->run->timeline.axes->bins;
	uint32_t most = choice->columns;
	size_t room = choice->cells / g->line_count;

	g->first = choice->first < all ? choice->first : all - 1;
	g->bins = choice->bins < all - g->first ? choice->bins : all - g->first;
	if (room < most)
		most = room ? (uint32_t)room : 1;
	g->each = (g->bins + most - 1) / most;
	g->columns = (g->bins + g->each - 1) / g->each;
}

int time_grid_init(struct time_grid *grid, const struct paths *paths,
		   const struct time_grid_choice *choice)
{
	int err;

	*grid = (struct time_grid){ .run = paths->run };
	if (!paths->run->timeline.row_count || !choice->bins)
		return 0;
	err = make_lines(grid, choice);
	if (!err && grid->line_count) {
		grid_columns_choose(grid, choice);
		err = make_cells(grid, paths);
	}
	if (err)
		time_grid_fini(grid);
	return err;
}

void time_grid_fini(struct time_grid *grid)
{
	for (int p = 0; p < TIME_GRID_PART_COUNT; p++)
		free(grid->values[p]);
	free(grid->lines);
	free(grid->left_out);
	free(grid->ends);
	free(grid->at);
	*grid = (struct time_grid){ 0 };
}
