/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * late-excess.h - what late ranks do more of than others do.
 *
 * While rank 0 formats what it gathered, the others do their part of the next
 * step; then they wait while rank 0 does that part, too.  Where it is at that
 * time says nothing: the cause came before.  So, where others do as much of
 * what a late rank was in, its times over the run are compared with theirs
 * (delay analysis, but not by step: samples are too few for that).
 *
 * Ownership   `from` must outlive an excess.
 */
#pragma once

#include "analyse/diagnose/facts.h"

struct late_excess {
	const struct fact_source *from;
	double *late;  /* by index into run->ranks: seconds it was late */
	double *times; /* room: by process compared */
};

/* 0, or -ENOMEM with a reason. */
int late_excess_init(struct late_excess *e, const struct fact_source *from);
void late_excess_fini(struct late_excess *e);

/* Of the time that late[] have in and below the path, outside MPI, the part
   that others have not: 1 of what they alone do; below 0: others do more.  0,
   or -errno with a reason. */
int late_excess_part(struct late_excess *e, uint32_t path, double *part);

/* own[]: by path, the seconds that those have more than others, without what
   the path calls; *all: their sum.  0, or -errno with a reason. */
int late_excess_own(struct late_excess *e, double *own, double *all);
