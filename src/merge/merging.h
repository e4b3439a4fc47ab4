/* SPDX-License-Identifier: BSD-3-Clause */
/* merging.h - a merge so far: of merge.c, and of reduce.c for a team. */
#ifndef MERGE_MERGING_H
#define MERGE_MERGING_H

#include "merge/devices.h"
#include "merge/gather.h"
#include "merge/gpu-facts.h"
#include "merge/inputs.h"
#include "merge/power-sums.h"
#include "merge/run.h"
#include "merge/team.h"
#include "merge/traffic.h"
#include "merge/unify.h"

struct job {
	uint32_t key; /* string of the run */
	size_t files;
	uint64_t newest;
};

struct reduced; /* what another process has become part of ours */

struct merging {
	const char *directory;
	const char *only; /* file of it, or NULL: all */
	struct inputs inputs;
	const struct merge_progress *progress;
	struct team *team; /* NULL: alone */
	struct run *run;
	struct unify *unify;
	struct gathered parts;
	struct traffic traffic;
	struct gpu_facts facts;
	struct devices devices;
	struct power power;
	struct job *jobs;
	size_t job_count;
	struct reduced *reduced;
	size_t reduced_count;
	bool told; /* the root, the others: how it went so far */
};

/* Add to the job of that key, new or not; 0, or -ENOMEM with a reason. */
int merging_job(struct merging *m, const struct job *more);

#endif
