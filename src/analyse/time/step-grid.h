/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-grid.h - the iterations of a run as a picture has them: lines of few
 * ranks together, columns of one iteration or of some.  Cells are sums over
 * both; beside them stands the longest of one rank.
 */
#pragma once

#include "analyse/ranks/rank-groups.h"
#include "analyse/time/step-findings.h"

struct step_grid_line {
	struct rank_group ranks;
	uint32_t begin, end; /* index into run->iterations.ranks */
};

struct step_grid_column {
	uint32_t begin, end; /* rows of step_times */
	uint64_t number;     /* of its first iteration, from 0 */
	uint64_t count;      /* iterations */
	double begins;       /* seconds from the start of the run */
	double median;       /* seconds, the longest of its iterations' */
	bool outlier;        /* one of them is */
	uint32_t path;       /* where most of its excess was; 0: not known */
};

struct step_grid_cell { /* microseconds */
	uint64_t us, mpi_us, gpu_us;
	uint64_t most; /* of a rank in an iteration */
	uint64_t own;  /* the same, outside MPI */
};

struct step_grid {
	struct step_times times;
	struct step_grid_line *lines;
	struct step_grid_column *columns;
	struct step_grid_cell *cells; /* line by line */
	size_t line_count, column_count;
};

enum {
	STEP_GRID_COLUMNS = 1024,
	STEP_GRID_CELLS = 32768
};

/* No line: the run has none.  0, or -ENOMEM with a reason. */
int step_grid_init(struct step_grid *grid, const struct paths *paths,
		   const struct rank_groups *groups);
void step_grid_fini(struct step_grid *grid);
