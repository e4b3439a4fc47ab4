/* SPDX-License-Identifier: BSD-3-Clause */
/* launch-shapes.c - the last shapes of kernels, and how many launches each had.
 */
#include "cuda/activity-records.h"

#include <string.h>

#include "collect/gpu/gpu-shapes.h"

enum {
	KEPT = 256
};

/* Mutable: by the kernel's name. */
static struct {
	struct region_name *name;
	struct live_shape shape;
} kept[KEPT];

static void tell_launch_shape(size_t i)
{
	if (kept[i].name && kept[i].shape.launches)
		copse_gpu_shape(kept[i].name, &kept[i].shape);
	kept[i].shape.launches = 0;
}

void launch_shapes_report(void)
{
	for (size_t i = 0; i < KEPT; i++)
		tell_launch_shape(i);
}

static struct live_shape shape_of_launch(const CUpti_ActivityKernel9 *k)
{
	return (struct live_shape){
		.device = k->deviceId,
		.block_x = (uint32_t)k->blockX,
		.block_y = (uint32_t)k->blockY,
		.block_z = (uint32_t)k->blockZ,
		.registers = k->registersPerThread,
		.static_shared = (uint32_t)k->staticSharedMemory,
		.dynamic_shared = (uint32_t)k->dynamicSharedMemory,
		.local = k->localMemoryPerThread,
		.cluster = k->clusterX * k->clusterY * k->clusterZ,
	};
}

void launch_shapes_add(struct region_name *name, const CUpti_ActivityKernel9 *k)
{
	uint64_t hash = (uintptr_t)name * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash >> 32) % KEPT;
	struct live_shape is = shape_of_launch(k), *to = &kept[i].shape;
	uint64_t blocks =
		(uint64_t)k->gridX * (uint64_t)k->gridY * (uint64_t)k->gridZ;

	if (kept[i].name != name || !to->launches ||
	    memcmp(to, &is, offsetof(struct live_shape, launches)) != 0) {
		tell_launch_shape(i);
		is.least_blocks = is.most_blocks = blocks;
		kept[i].name = name;
		*to = is;
	}
	to->launches++;
	to->ns += k->end > k->start && k->start ? k->end - k->start : 0;
	if (blocks < to->least_blocks)
		to->least_blocks = blocks;
	if (blocks > to->most_blocks)
		to->most_blocks = blocks;
}
