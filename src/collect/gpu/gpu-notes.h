/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-notes.h - what gpu.c noted of the calls of an adapter, for the parts that
 * keep other things of them than work: gpu-allocs.c.
 *
 * Threads   Any.
 */
#ifndef COLLECT_GPU_GPU_NOTES_H
#define COLLECT_GPU_GPU_NOTES_H

#include <stdbool.h>

#include "collect/region.h"

struct gpu_noted {
	live_ref node; /* 0: why */
	uint32_t thread;
	uint32_t why; /* enum loss */
	bool wanted;  /* false: it was called in a pause */
};
struct gpu_noted gpu_noted(uint32_t id);

#endif
