/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-times.h - the iterations of a run: how long each took on all ranks.
 */
#pragma once

#include "run/run.h"

struct step_time {       /* of one row: an iteration, or several together */
	uint64_t number; /* of the first of them, from 0 */
	uint32_t each;
	double begin, median, least, most; /* seconds, of ranks; for one */
	double own;       /* lower median of the time outside MPI */
	double mpi;       /* mean over ranks */
	uint32_t slowest; /* index into ranks */
	bool outlier;     /* it took far longer on most ranks than others do */
};

struct step_times {
	const struct run *run;
	const struct run_step *step;
	struct step_time *at;
	size_t count;       /* rows that all ranks have */
	double usual;       /* seconds: the median of the medians */
	double first, last; /* the medians of the first and last tenth */
	bool drifts;        /* these differ by more than rows do */
	double begin, end;  /* of all of them, from the start of the run */
};

/* 0, or -ENOMEM with a reason; count 0: the run has none. */
int step_times_init(struct step_times *times, const struct run *run);
void step_times_fini(struct step_times *times);

/* A row of a rank (index into ranks). */
const struct run_iteration *step_times_row(const struct step_times *times,
					   size_t rank, size_t row);

/* Its own work: seconds outside MPI, of one iteration of the row. */
double step_times_own(const struct step_times *times, size_t rank, size_t row);

/* They change their places; 0 of none. */
double step_times_median(double *values, size_t count);
