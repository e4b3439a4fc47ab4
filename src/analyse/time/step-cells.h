/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-cells.h - what the timeline says of iterations: the path on which some
 * took longer, and whether a core worked meanwhile.
 *
 * Method   Cells are summed up by path over the stretch in question, less what
 *          the loop has in as many iterations.
 */
#pragma once

#include "analyse/time/step-times.h"
#include "run/call-paths.h"

#define STEP_ALL UINT32_MAX /* ranks */

struct step_cells {
	const struct step_times *times;
	const struct paths *paths;
	double *loop; /* seconds of each path in the loop, on all ranks */
	double *sums; /* of the question */
};

/* 0, or -ENOMEM with a reason. */
int step_cells_init(struct step_cells *cells, const struct step_times *times,
		    const struct paths *paths);
void step_cells_fini(struct step_cells *cells);

/*
 * A question: what is between two moments, of a rank (row of /ranks) or of all
 * of them, once and again; less what the loop has there in so many seconds; the
 * deepest path with most of it, 0: not known.
 */
void step_cells_begin(struct step_cells *cells);
void step_cells_add(struct step_cells *cells, uint32_t rank, double from,
		    double to, double scale);
void step_cells_less(struct step_cells *cells, uint32_t rank, double seconds);
uint32_t step_cells_path(struct step_cells *cells);

/* Of a row, what it has more than the usual one, on all ranks. */
uint32_t step_cells_row(struct step_cells *cells, size_t row);

/*
 * CPU time outside MPI in the cells between two moments, which are moved to
 * where cells begin and end.
 */
struct step_cpu {
	double from, to, seconds;
	double files;   /* of that, in functions that read or write them */
	double moments; /* that say so */
};
struct step_cpu step_cells_cpu(const struct step_cells *cells, uint32_t rank,
			       double from, double to);
