/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-uses.h - sums of gpu-uses.def. */
#pragma once

#include <stdint.h>

#define GPU_USE_UNTOLD UINT64_MAX

struct gpu_uses {
#define ADDED(type, name, ...) type name;
#include "live/gpu-uses.def"
#undef ADDED
};

/* Of a time `of`, the part that falls into `ns` of it. */
static inline uint64_t gpu_use_part(uint64_t use, uint64_t ns, uint64_t of)
{
	return use == GPU_USE_UNTOLD || !of
		       ? 0
		       : (uint64_t)((double)use * (double)ns / (double)of);
}

/* What is not known of a part is not known of the whole. */
static inline uint64_t gpu_use_sum(uint64_t a, uint64_t b)
{
	return a == GPU_USE_UNTOLD || b == GPU_USE_UNTOLD ? GPU_USE_UNTOLD
							  : a + b;
}
