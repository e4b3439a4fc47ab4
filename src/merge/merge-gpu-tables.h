/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge-gpu-tables.h - the tables of GPUs of all processes become the run's.
 *
 * Failure   -ENOMEM with a reason.
 */
#pragma once

#include "base/map.h"
#include "run/run.h"
#include "profile/profile.h"

struct gpu_facts {
	struct run_facts sum; /* ranks in the order of reading; see names */
	size_t holder_room, bin_room, held_room, unified_room, model_room,
		shape_room, sampling_room;
	struct map shapes;
	struct strings names; /* of kernels, which shapes refer to */
};

void gpu_facts_fini(struct gpu_facts *t);

int gpu_facts_add(struct gpu_facts *t, const struct profile *p,
		  uint32_t process);

/* All were added: order[i] is the index of process i in the run. */
int gpu_facts_finish(struct gpu_facts *t, struct run *run,
		     const uint32_t *order);
