/* SPDX-License-Identifier: BSD-3-Clause */
/* step-cells.c - sums of the timeline's cells. */
#include "analyse/time/step-cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Calls see() for the part of each cell that is between two moments. */
struct cell_visit {
	const struct step_cells *of;
	uint32_t rank;
	double from, to, scale;
	double *sums;
	struct step_cpu *cpu;
	void (*see)(struct cell_visit *visit, const struct run_time_cell *cell,
		    double seconds);
};

static void visit_row(struct cell_visit *v, const struct run_time_row *row)
{
	const struct run_timeline *line = &v->of->times->run->timeline;
	double width = (double)line->axes->width_ns / 1e9;
	double first = floor(v->from / width) - row->first_bin;
	double end = ceil(v->to / width) - row->first_bin;

	first = fmax(first, 0);
	end = fmin(end, row->cells);
	for (uint32_t c = (uint32_t)first; c < end; c++) {
		double begin = (row->first_bin + c) * width;
		double part = fmin(v->to, begin + width) - fmax(v->from, begin);

		if (part > 0)
			v->see(v, &line->cells[row->first + c],
			       part * v->scale);
	}
}

static void visit_cells(struct cell_visit *v)
{
	const struct run_timeline *line = &v->of->times->run->timeline;

	for (size_t i = 0; line->axis_count && i < line->row_count; i++)
		if (line->rows[i].kind == RUN_TIME_THREAD &&
		    (v->rank == STEP_ALL || line->rows[i].rank == v->rank))
			visit_row(v, &line->rows[i]);
}

static void sum_by_path(struct cell_visit *v, const struct run_time_cell *cell,
			double seconds)
{
	v->sums[v->of->paths->of[cell->node]] +=
		seconds * cell->share / RUN_TIME_WHOLE;
}

static void sum_cpu(struct cell_visit *v, const struct run_time_cell *cell,
		    double seconds)
{
	/* Who waits in MPI polls, so what is left is the least. */
	double own = fmax(0, cell->busy - cell->mpi) / RUN_TIME_WHOLE;

	v->cpu->seconds += seconds * own;
	v->cpu->files += seconds * fmin(own, (double)cell->io / RUN_TIME_WHOLE);
	v->cpu->moments += cell->moments * own;
}

int step_cells_init(struct step_cells *c, const struct step_times *times,
		    const struct paths *paths)
{
	struct cell_visit v = { .of = c,
				.rank = STEP_ALL,
				.from = times->begin,
				.to = times->end,
				.scale = 1,
				.see = sum_by_path };

	*c = (struct step_cells){ .times = times, .paths = paths };
	c->loop = calloc(paths->count + 1, sizeof(*c->loop));
	c->sums = calloc(paths->count + 1, sizeof(*c->sums));
	if (!c->loop || !c->sums) {
		step_cells_fini(c);
		return no_memory();
	}
	v.sums = c->loop;
	visit_cells(&v);
	return 0;
}

void step_cells_fini(struct step_cells *c)
{
	free(c->loop);
	free(c->sums);
	*c = (struct step_cells){ 0 };
}

void step_cells_begin(struct step_cells *c)
{
	memset(c->sums, 0, (c->paths->count + 1) * sizeof(*c->sums));
}

void step_cells_add(struct step_cells *c, uint32_t rank, double from, double to,
		    double scale)
{
	struct cell_visit v = { .of = c,
				.rank = rank,
				.from = from,
				.to = to,
				.scale = scale,
				.sums = c->sums,
				.see = sum_by_path };

	visit_cells(&v);
}

void step_cells_less(struct step_cells *c, uint32_t rank, double seconds)
{
	double length = c->times->end - c->times->begin;

	if (length <= 0)
		return;
	if (rank != STEP_ALL) {
		step_cells_add(c, rank, c->times->begin, c->times->end,
			       -seconds / length);
		return;
	}
	for (size_t i = 0; i < c->paths->count; i++)
		c->sums[i] -= c->loop[i] * seconds / length;
}

uint32_t step_cells_path(struct step_cells *c)
{
	const struct paths *p = c->paths;
	double most = 0;
	uint32_t best = 0;

	for (uint32_t i = (uint32_t)p->count; i-- > 1;)
		c->sums[p->at[i].parent] += c->sums[i];
	for (uint32_t i = 1; i < p->count; i++)
		most = fmax(most, c->sums[i]);
	/* In depth-first order the last path with most of it is deepest. */
	for (uint32_t i = 1; i < p->count; i++)
		if (most > 0 && c->sums[i] >= most / 2 &&
		    (!best || i < p->at[best].end))
			best = i;
	return best;
}

uint32_t step_cells_row(struct step_cells *c, size_t row)
{
	const struct step_time *at = &c->times->at[row];

	step_cells_begin(c);
	step_cells_add(c, STEP_ALL, at->begin,
		       at->begin + at->median * at->each, 1);
	step_cells_less(c, STEP_ALL, c->times->usual * at->each);
	return step_cells_path(c);
}

struct step_cpu step_cells_cpu(const struct step_cells *c, uint32_t rank,
			       double from, double to)
{
	const struct run_timeline *line = &c->times->run->timeline;
	struct step_cpu cpu = { .from = from, .to = to };
	struct cell_visit v = {
		.of = c, .rank = rank, .scale = 1, .cpu = &cpu, .see = sum_cpu
	};
	double width;

	if (!line->axis_count)
		return cpu;
	width = (double)line->axes->width_ns / 1e9;
	v.from = cpu.from = floor(from / width) * width;
	v.to = cpu.to = ceil(to / width) * width;
	visit_cells(&v);
	return cpu;
}
