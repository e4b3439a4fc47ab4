/* SPDX-License-Identifier: BSD-3-Clause */
/* device-limits.c - the attributes of a device that occupancy follows from. */
#include "cuda/device.h"

#include "collect/gpu/gpu-shapes.h"
#include "collect/gpu/gpu.h"
#include "cuda/cupti.h"

static const struct {
	CUdevice_attribute attribute;
	size_t offset;
} attributes[] = {
#define ATTRIBUTE(attribute, member)                                           \
	{                                                                      \
		CU_DEVICE_ATTRIBUTE_##attribute,                               \
			offsetof(struct live_limits, member)                   \
	}
	ATTRIBUTE(COMPUTE_CAPABILITY_MAJOR, major),
	ATTRIBUTE(COMPUTE_CAPABILITY_MINOR, minor),
	ATTRIBUTE(MULTIPROCESSOR_COUNT, multiprocessors),
	ATTRIBUTE(WARP_SIZE, warp),
	ATTRIBUTE(MAX_THREADS_PER_MULTIPROCESSOR, threads),
	ATTRIBUTE(MAX_BLOCKS_PER_MULTIPROCESSOR, blocks),
	ATTRIBUTE(MAX_REGISTERS_PER_MULTIPROCESSOR, registers),
	ATTRIBUTE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, shared),
	ATTRIBUTE(MAX_REGISTERS_PER_BLOCK, block_registers),
	ATTRIBUTE(RESERVED_SHARED_MEMORY_PER_BLOCK, reserved_shared),
};

void limits_report(uint32_t device)
{
	int (*get)(int *, CUdevice_attribute, int) =
		(int (*)(int *, CUdevice_attribute, int))cupti_driver(
			"cuDeviceGetAttribute");
	struct live_limits limits = { .device = device };
	int err = get ? 0 : 1;

	copse_gpu_call.own = true;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes) && !err;
	     i++) {
		char *to = (char *)&limits + attributes[i].offset;
		int value = 0;

		err = get(&value, attributes[i].attribute, (int)device);
		*(uint32_t *)(void *)to = (uint32_t)value;
	}
	copse_gpu_call.own = false;
	if (!err)
		copse_gpu_limits(&limits);
}
