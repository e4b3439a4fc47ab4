/* SPDX-License-Identifier: BSD-3-Clause */
/* omp-regions.h - the parallel regions of OpenMP of a run, by their place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "run/run.h"

enum omp_value {
	OMP_REGIONS, /* of metrics omp.*: how many were begun */
	OMP_MEMBERS,
	OMP_TIME, /* of regions, times their threads; of that … */
	OMP_WORK,
	OMP_BARRIER,
	OMP_LOCK,
	OMP_LATE, /* … and what was waited for those who came last: */
	OMP_LATE_MASTER,
	OMP_VALUES
};

/* A region of the source: it may stand in many call paths. */
struct omp_region {
	uint32_t node; /* the one with most of its time */
	double longest;
	double at[OMP_VALUES]; /* seconds, over all ranks */
	/* Where the last one was most of the time that others waited for it;
	   0: not known. */
	uint32_t culprit;
	double blame; /* seconds of that */
};

/* Seconds of regions that are in no other one. */
struct omp_outermost {
	double elapsed, time, work; /* time: elapsed, for each thread */
};

struct omp_regions {
	struct omp_region *at; /* those first in which most was waited */
	size_t count;
	double time; /* of all */
	struct omp_outermost outermost;
	/* Outside regions: elapsed time of the processes that have them, and
	   where the most of that was but for MPI; 0: not known. */
	double outside, outside_mpi;
	uint32_t outside_in;
};

struct omp_outermost omp_outermost(const struct run *run);

/* 0, or -ENOMEM with a reason. */
int omp_regions_find(struct omp_regions *to, const struct paths *paths);
void omp_regions_fini(struct omp_regions *regions);

/* Of omp.time, without work. */
double omp_region_waited(const struct omp_region *r);

/* On average. */
double omp_region_threads(const struct omp_region *r);

/* Until all had come to the end. */
double omp_region_end_wait(const struct omp_region *r);

/* For whom the others waited; NULL: for nobody. */
const char *omp_region_culprit(const struct omp_region *r);

/* Each is late now and then, as where threads lack a core. */
bool omp_region_by_turns(const struct omp_region *r);

/*
 * The function that it was in, as a sentence says it; to be freed.  "": none
 * stands out; NULL: out of memory.
 */
char *omp_region_culprit_in(const struct omp_region *r,
			    const struct paths *paths);

/* The one with most waiting, when that is worth a sentence. */
void omp_regions_say(struct report *report, const struct paths *paths,
		     const struct omp_regions *regions);
