/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * time-split.h - the parts of a run's time (run/split.h) in seconds: the one
 * place from which reports take what the time went into.
 *
 * Ownership   The run must outlive it.
 */
#pragma once

#include "analyse/paths/paths.h"
#include "run/split.h"

struct time_part {
	double seconds, low, high; /* 95 times of 100 within */
	double most, mean;         /* of the members */
	uint32_t most_rank;        /* index into run->ranks */
};

struct time_split {
	const struct run *run;
	double whole; /* seconds */
	struct time_part parts[SPLIT_PARTS];
	double (*ranks)[SPLIT_PARTS]; /* by index into run->ranks */
};

/* 0, or -ENOMEM with a reason. */
int time_split_init(struct time_split *split, const struct run *run);
void time_split_fini(struct time_split *split);

/* The part of that name, or SPLIT_PARTS. */
enum split_part time_part_find(const char *name);

/* Seconds of a process's first thread, without pauses: what shares of the time
   of ranks are of. */
double time_split_first(const struct run_rank *rank);

/* Of the whole, 0 … 1. */
double time_split_share(const struct time_split *split, enum split_part part);

/*
 * Of the elapsed time of a process (index into run->ranks), in MPI, but not in
 * MPI_Init.  With what it wanted a core there, which is no part of MPI in the
 * split: efficiencies are of elapsed time, too.
 */
double time_split_mpi(const struct time_split *split, size_t rank);

/* Of that time, any part. */
double time_split_of(const struct time_split *split, size_t rank,
		     enum split_part part);

/* Seconds of a part by path, without what a path calls, in own[]. */
void time_split_paths(const struct time_split *split, const struct paths *paths,
		      enum split_part part, double *own);

/* Seconds of each part at this node and below it, as far as a path is known. */
void time_split_below(const struct time_split *split, uint32_t node,
		      double parts[SPLIT_PARTS]);

/* Seconds of a part in `count` equal times of the run; 0 without a timeline. */
void time_split_course(const struct time_split *split, enum split_part part,
		       double *course, size_t count);
