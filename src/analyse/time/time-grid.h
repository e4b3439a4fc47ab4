/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * time-grid.h - the timeline of a run as a picture has it: lines of few ranks
 * together, columns of some bins.
 *
 * Cells   are sums over their threads and bins, in 255ths of a bin of the run,
 *         so that nothing vanishes however many there are.
 * Paths   A cell has the call paths of what is in it, each with the time in and
 *         below it, without that of its other paths.  What is less than a
 *         16th of them counts for its caller.
 */
#pragma once

#include "analyse/ranks/rank-groups.h"
#include "analyse/time/step-findings.h"
#include "run/call-paths.h"

/* As in run_time_cell. */
#define TIME_GRID_PARTS(PART)                                                  \
	PART(known)                                                            \
	PART(busy) PART(moments) PART(mpi) PART(mpi_wait) PART(io) PART(gpu)

enum time_grid_part {
#define PART(name) TIME_GRID_##name,
	TIME_GRID_PARTS(PART)
#undef PART
	TIME_GRID_PART_COUNT
};

struct time_grid_line {
	struct rank_group ranks;
	uint32_t kind;       /* enum run_time_kind */
	uint32_t number;     /* of one rank: as in run_time_row */
	uint32_t threads;    /* of that kind: what is summed up */
	uint32_t begin, end; /* rows of the timeline, those of that kind */
	uint64_t sums[TIME_GRID_PART_COUNT]; /* of all its columns */
};

struct time_grid_path {
	uint32_t path;
	uint32_t weight; /* of its cell's known; of helpers, of its busy */
};

struct time_grid {
	const struct run *run;
	uint32_t first, bins, each; /* of the run's bins; in a column */
	uint32_t columns;
	struct time_grid_line *lines;
	size_t line_count;
	bool *left_out;                         /* rows of the timeline */
	uint32_t *values[TIME_GRID_PART_COUNT]; /* line by line */
	size_t *ends; /* of each cell's paths, which follow one another */
	struct time_grid_path *at;
	size_t path_count, path_room;
};

struct time_grid_choice {
	const struct rank_group *groups;
	size_t group_count;
	uint32_t first, bins; /* of the run's; more than there are: all */
	uint32_t columns;     /* at most */
	size_t cells;         /* at most, but at least one column */
};

/*
 * Threads that do not call MPI and did nearly nothing have no line.  No line:
 * the run has no timeline.  0, or -ENOMEM with a reason.
 */
int time_grid_init(struct time_grid *grid, const struct paths *paths,
		   const struct time_grid_choice *choice);
void time_grid_fini(struct time_grid *grid);

/*
 * step-grid.c: the iterations of a run as a picture has them: lines of few
 * ranks together, columns of one iteration or of some.  Cells are sums over
 * both; beside them stands the longest of one rank.
 */

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
