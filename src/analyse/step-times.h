/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-times.h - the iterations of a run: how long each took on all ranks, and
 * which of them, or which ranks, stand out.
 */
#ifndef ANALYSE_STEP_TIMES_H
#define ANALYSE_STEP_TIMES_H

#include "run/call-paths.h"
#include "run/run.h"

struct step_time {       /* of one row: an iteration, or several together */
	uint64_t number; /* of the first of them, from 0 */
	uint32_t each;
	double begin, median, least, most; /* seconds, of ranks; for one */
	double own;                        /* median, outside MPI */
	double mpi;                        /* mean over ranks */
	uint32_t slowest;                  /* index into ranks */
	bool outlier; /* it took far longer on most ranks than others do */
};

struct step_late {       /* a rank that is slow now and then */
	uint32_t rank;   /* row of /ranks */
	uint32_t times;  /* iterations in which it alone was late, … */
	uint32_t period; /* … each so many; 0: not regularly */
	double seconds;  /* together, beyond what it takes else */
};

struct step_times {
	const struct run *run;
	const struct run_step *step;
	struct step_time *at;
	size_t count;          /* rows that all ranks have */
	double usual;          /* seconds: the median of the medians */
	double first, last;    /* the medians of the first and last tenth */
	bool drifts;           /* these differ by more than chance */
	double begin, end;     /* of all of them, from the start of the run */
	struct step_late late; /* times 0: none */
};

/* 0, or -ENOMEM with a reason; count 0: the run has none. */
int step_times_init(struct step_times *times, const struct run *run);
void step_times_fini(struct step_times *times);

/* A row of a rank (index into ranks). */
const struct run_iteration *step_times_row(const struct step_times *times,
					   size_t rank, size_t row);

/*
 * The path that took more in that row than in others: the deepest one with
 * most of the excess, by the timeline; 0: not known.
 */
uint32_t step_times_path(const struct step_times *times,
			 const struct paths *paths, size_t row);

#endif
