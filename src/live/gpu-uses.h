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

/* What is not known of a part is not known of the whole. */
static inline uint64_t gpu_use_sum(uint64_t a, uint64_t b)
{
	return a == GPU_USE_UNTOLD || b == GPU_USE_UNTOLD ? GPU_USE_UNTOLD
							  : a + b;
}
