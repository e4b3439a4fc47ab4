/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * occupancy.h - how many blocks of a kernel a multiprocessor can hold at once,
 * and what keeps it from more: NVIDIA's rule for compute capability 5.0 to 12.x
 * (CUDA C++ Programming Guide, "Hardware Multithreading" and the table of
 * technical specifications; tests/gpu/made-occupancy.c compares it with the
 * toolkit's cuda_occupancy.h, which is not free and not used here).
 *
 * Not known to it: a smaller share of the cache that a program asked for, block
 * barriers, clusters.
 */
#pragma once

#include "run/run-tables.h"

struct occupancy {
	uint32_t blocks;   /* of a multiprocessor, at once; 0: it cannot run */
	double share;      /* of the warps that it could hold */
	const char *limit; /* what it is: "registers", …; "": all are held */
};

struct occupancy occupancy_of(const struct run_model *model,
			      const struct run_shape *shape);
