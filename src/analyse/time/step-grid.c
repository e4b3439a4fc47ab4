/* SPDX-License-Identifier: BSD-3-Clause */
/* step-grid.c - add up iterations. */
#include "analyse/time/time-grid.h"

#include <stdlib.h>

#include "base/err.h"

static int step_lines(struct step_grid *g, const struct rank_groups *groups)
{
	const struct run_iterations *all = &g->times.run->iterations;
	uint32_t i = 0;

	g->lines = calloc(groups->count + 1, sizeof(*g->lines));
	if (!g->lines)
		return no_memory();
	for (size_t k = 0; k < groups->count; k++) {
		struct step_grid_line line = { .ranks = groups->at[k],
					       .begin = i };

		while (i < all->rank_count &&
		       all->ranks[i].rank < line.ranks.first + line.ranks.count)
			i++;
		line.end = i;
		if (line.end > line.begin)
			g->lines[g->line_count++] = line;
	}
	return 0;
}

static struct step_grid_column step_column(const struct step_grid *g,
					   struct step_cells *cells,
					   size_t begin, size_t end)
{
	const struct step_time *at = g->times.at;
	struct step_grid_column c = { .begin = (uint32_t)begin,
				      .end = (uint32_t)end,
				      .number = at[begin].number,
				      .begins = at[begin].begin };
	size_t longest = begin;

	for (size_t row = begin; row < end; row++) {
		c.count += at[row].each;
		c.outlier |= at[row].outlier;
		if (at[row].median > at[longest].median)
			longest = row;
	}
	c.median = at[longest].median;
	if (at[longest].outlier)
		c.path = step_cells_row(cells, longest);
	return c;
}

static int step_columns(struct step_grid *g, struct step_cells *cells)
{
	size_t rows = g->times.count, most = STEP_GRID_CELLS / g->line_count;
	size_t each;

	most = most < STEP_GRID_COLUMNS ? most : STEP_GRID_COLUMNS;
	each = (rows + most - 1) / most;
	g->columns = calloc(rows / each + 2, sizeof(*g->columns));
	if (!g->columns)
		return no_memory();
	for (size_t row = 0; row < rows; row += each)
		g->columns[g->column_count++] = step_column(
			g, cells, row, row + each < rows ? row + each : rows);
	return 0;
}

static struct step_grid_cell step_cell(const struct step_grid *g,
				       const struct step_grid_line *line,
				       const struct step_grid_column *column)
{
	struct step_grid_cell cell = { 0 };

	for (size_t i = line->begin; i < line->end; i++)
		for (size_t row = column->begin; row < column->end; row++) {
			const struct run_iteration *at =
				step_times_row(&g->times, i, row);
			uint32_t each = g->times.at[row].each;
			uint64_t own =
				at->us > at->mpi_us ? at->us - at->mpi_us : 0;

			cell.us += at->us;
			cell.mpi_us += at->mpi_us;
			cell.gpu_us += at->gpu_us;
			if (at->us / each > cell.most)
				cell.most = at->us / each;
			if (own / each > cell.own)
				cell.own = own / each;
		}
	return cell;
}

static int step_grid_cells(struct step_grid *g)
{
	struct step_grid_cell *to;

	to = calloc(g->line_count * g->column_count + 1, sizeof(*to));
	g->cells = to;
	if (!to)
		return no_memory();
	for (size_t l = 0; l < g->line_count; l++)
		for (size_t c = 0; c < g->column_count; c++)
			*to++ = step_cell(g, &g->lines[l], &g->columns[c]);
	return 0;
}

/* Only what is sure is an outlier. */
static int judge_steps(struct step_grid *g, const struct paths *paths)
{
	struct step_findings found = { 0 };
	struct step_cells cells = { 0 };
	int err = step_findings_init(&found, &g->times, paths);

	if (!err)
		err = step_cells_init(&cells, &g->times, paths);
	if (!err)
		err = step_columns(g, &cells);
	step_cells_fini(&cells);
	step_findings_fini(&found);
	return err;
}

int step_grid_init(struct step_grid *grid, const struct paths *paths,
		   const struct rank_groups *groups)
{
	int err;

	*grid = (struct step_grid){ 0 };
	err = step_times_init(&grid->times, paths->run);
	if (!err && grid->times.count)
		err = step_lines(grid, groups);
	if (!err && grid->line_count)
		err = judge_steps(grid, paths);
	if (!err && grid->line_count)
		err = step_grid_cells(grid);
	if (err)
		step_grid_fini(grid);
	return err;
}

void step_grid_fini(struct step_grid *grid)
{
	step_times_fini(&grid->times);
	free(grid->lines);
	free(grid->columns);
	free(grid->cells);
	*grid = (struct step_grid){ 0 };
}
