/* SPDX-License-Identifier: BSD-3-Clause */
/* merge-gpu-tables.h - the tables of GPUs of all processes become the run's. */
#pragma once

#include "base/map.h"
#include "run/gatherer.h"

struct gpu_facts {            /* what gatherer_merge_gpu_tables has */
	struct run_facts sum; /* ranks in the order of reading; see names */
	size_t holder_room, bin_room, held_room, unified_room, model_room,
		shape_room, sampling_room, range_room;
	struct map shapes;
	struct strings names; /* which shapes and ranges refer to */
};
