/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * time-grid.c - pictures of the timeline and of iterations: however ranks, bins
 * and iterations are folded, sums stay what they are, and no path vanishes.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/time/time-grid.h"
#include "tests/lib/test.h"
#include "tests/unit/fixture-run.h"

enum {
	BINS = 7,
	ROWS = FIXTURE_RANKS + 2 /* helpers of rank 1, a GPU of rank 3 */
};

/* Bin 0 is unknown; rank r is in work but for r + 1 parts in norm's call. */
static struct run_time_cell made_cell(uint32_t row, uint32_t bin)
{
	bool mpi = bin == 2;

	return (struct run_time_cell){
		.node = mpi ? FIXTURE_ALLREDUCE : FIXTURE_WORK,
		.known = 255,
		.busy = (uint16_t)(200 - row),
		.moments = (uint16_t)(bin + 1),
		.share = (uint8_t)(mpi ? row + 1 : 240),
		.mpi = mpi ? 255 : 0,
		.mpi_wait = mpi ? 100 : 0,
		.gpu = (uint8_t)(row == ROWS - 1 ? 50 : 0),
	};
}

static void make_timeline(struct run *run, uint16_t helper_busy)
{
	struct run_timeline *t = &run->timeline;

	t->axes = calloc(1, sizeof(*t->axes));
	t->rows = calloc(ROWS, sizeof(*t->rows));
	t->cells = calloc((size_t)ROWS * BINS, sizeof(*t->cells));
	t->axis_count = 1;
	t->axes->width_ns = 1000000;
	t->axes->bins = BINS;
	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t rank = i < 2 ? i : i == 2 ? 1 : i == 5 ? 3 : i - 1;

		t->rows[i] = (struct run_time_row){
			.rank = rank,
			.kind = i == 2   ? RUN_TIME_HELPERS
				: i == 5 ? RUN_TIME_GPU
					 : RUN_TIME_THREAD,
			.first_bin = 1,
			.first = i * BINS,
			.cells = BINS - 1,
		};
		for (uint32_t b = 1; b < BINS; b++) {
			struct run_time_cell c = made_cell(i, b);

			c.busy = i == 2 ? helper_busy : c.busy;
			t->cells[i * BINS + b - 1] = c;
		}
	}
	t->row_count = ROWS;
	t->cell_count = (size_t)ROWS * BINS;
}

/* All of a kind, as the run has it. */
static uint64_t sum_of_busy(const struct run *run, uint32_t kind)
{
	const struct run_timeline *t = &run->timeline;
	uint64_t sum = 0;

	for (size_t i = 0; i < t->row_count; i++)
		for (uint32_t c = 0; c < t->rows[i].cells; c++)
			sum += t->rows[i].kind == kind
				       ? t->cells[t->rows[i].first + c].busy
				       : 0;
	return sum;
}

static void check_sums(const struct time_grid *g)
{
	uint64_t busy[RUN_TIME_KINDS] = { 0 };

	for (size_t l = 0; l < g->line_count; l++) {
		uint64_t sum = 0;

		for (uint32_t c = 0; c < g->columns; c++)
			sum += g->values[TIME_GRID_busy][l * g->columns + c];
		CHECK(sum, ==, g->lines[l].sums[TIME_GRID_busy]);
		busy[g->lines[l].kind] += sum;
	}
	for (uint32_t kind = 0; kind < RUN_TIME_KINDS; kind++)
		CHECK(busy[kind], ==, sum_of_busy(g->run, kind));
}

static uint32_t weight_in_cell(const struct time_grid *g, size_t cell,
			       uint32_t path)
{
	for (size_t i = cell ? g->ends[cell - 1] : 0; i < g->ends[cell]; i++)
		if (g->at[i].path == path)
			return g->at[i].weight;
	return 0;
}

TEST(a_picture_of_the_timeline_keeps_its_sums)
{
	static const struct rank_group alone[] = {
		{ 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 }
	};
	static const struct rank_group pairs[] = { { 0, 2 }, { 2, 2 } };
	struct time_grid_choice choice = { .groups = alone,
					   .group_count = 4,
					   .bins = UINT32_MAX,
					   .columns = 100,
					   .cells = 1000 };
	struct run *run = fixture_run();
	struct paths paths;
	struct time_grid g;

	make_timeline(run, 90);
	CHECK(!paths_init(&paths, run));
	CHECK(!time_grid_init(&g, &paths, &choice));
	CHECK(g.line_count, ==, ROWS);
	CHECK(g.columns, ==, BINS);
	CHECK(g.each, ==, 1);
	check_sums(&g);
	CHECK(!g.values[TIME_GRID_known][0]);
	time_grid_fini(&g);

	/* Two ranks a line, three bins a column. */
	choice.groups = pairs;
	choice.group_count = 2;
	choice.columns = 3;
	CHECK(!time_grid_init(&g, &paths, &choice));
	CHECK(g.line_count, ==, 4);
	CHECK(g.columns, ==, 3);
	CHECK(g.each, ==, 3);
	CHECK(g.lines[0].threads, ==, 2);
	CHECK(g.lines[1].kind, ==, RUN_TIME_HELPERS);
	check_sums(&g);
	time_grid_fini(&g);

	/* A part of it. */
	choice.first = 2;
	choice.bins = 2;
	CHECK(!time_grid_init(&g, &paths, &choice));
	CHECK(g.columns, ==, 2);
	CHECK(g.values[TIME_GRID_mpi][0], ==, 2 * 255);
	time_grid_fini(&g);
	paths_fini(&paths);
}

TEST(small_paths_of_a_picture_stand_for_their_callers)
{
	static const struct rank_group all[] = { { 0, 4 } };
	const struct time_grid_choice choice = { .groups = all,
						 .group_count = 1,
						 .bins = UINT32_MAX,
						 .columns = 1,
						 .cells = 1000 };
	struct run *run = fixture_run();
	struct paths paths;
	struct time_grid g;

	make_timeline(run, 1); /* idle: no line of its own */
	CHECK(!paths_init(&paths, run));
	CHECK(!time_grid_init(&g, &paths, &choice));
	CHECK(g.line_count, ==, 2);
	CHECK(g.lines[1].kind, ==, RUN_TIME_GPU);
	/* Five bins of work in four ranks; 1 + 2 + 4 + 5 parts in MPI. */
	CHECK(weight_in_cell(&g, 0, paths.of[FIXTURE_WORK]), ==, 20 * 240);
	CHECK(weight_in_cell(&g, 0, paths.of[FIXTURE_ALLREDUCE]), ==, 0);
	CHECK(weight_in_cell(&g, 0, paths.of[FIXTURE_MAIN]), ==, 12);
	time_grid_fini(&g);
	paths_fini(&paths);
}

/* Of rank r, iteration i takes r + i ms, a third of it in MPI. */
static void make_iterations(struct run *run, uint32_t rows)
{
	struct run_iterations *i = &run->iterations;

	i->steps = calloc(1, sizeof(*i->steps));
	i->ranks = calloc(FIXTURE_RANKS, sizeof(*i->ranks));
	i->rows = calloc((size_t)FIXTURE_RANKS * rows, sizeof(*i->rows));
	i->step_count = 1;
	*i->steps = (struct run_step){ .node = FIXTURE_ALLREDUCE,
				       .per = 1,
				       .each = 1,
				       .head = rows,
				       .iterations = rows };
	i->rank_count = FIXTURE_RANKS;
	i->row_count = (size_t)FIXTURE_RANKS * rows;
	for (uint32_t r = 0; r < FIXTURE_RANKS; r++) {
		i->ranks[r] = (struct run_iteration_rank){ .rank = r,
							   .first = r * rows,
							   .count = rows,
							   .iterations = rows };
		for (uint32_t k = 0; k < rows; k++)
			i->rows[r * rows + k] = (struct run_iteration){
				.us = (r + k) * 3000, .mpi_us = (r + k) * 1000
			};
	}
}

TEST(a_picture_of_iterations_keeps_its_sums)
{
	static struct rank_group pairs[] = { { 0, 2 }, { 2, 2 } };
	const struct rank_groups groups = { pairs, 2 };
	const uint32_t rows = 2 * STEP_GRID_COLUMNS;
	struct run *run = fixture_run();
	struct paths paths;
	struct step_grid g;

	make_iterations(run, rows);
	CHECK(!paths_init(&paths, run));
	CHECK(!step_grid_init(&g, &paths, &groups));
	CHECK(g.line_count, ==, 2);
	CHECK(g.column_count, ==, STEP_GRID_COLUMNS);
	/* Ranks 2 and 3, iterations 2 and 3: 4 + 5 + 5 + 6. */
	CHECK(g.cells[STEP_GRID_COLUMNS + 1].us, ==, 20 * 3000);
	CHECK(g.cells[STEP_GRID_COLUMNS + 1].mpi_us, ==, 20 * 1000);
	CHECK(g.cells[STEP_GRID_COLUMNS + 1].most, ==, 6 * 3000);
	CHECK(g.cells[STEP_GRID_COLUMNS + 1].own, ==, 6 * 2000);
	CHECK(g.columns[1].count, ==, 2);
	CHECK(g.columns[1].begin, ==, 2);
	step_grid_fini(&g);
	paths_fini(&paths);
}
