/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware-counters-none.c - built with a CUPTI that has no PM sampling: none
 * is read. */
#include "collect/gpu/gpu-counters.h"
#include "collect/gpu/gpu.h"
#include "cuda/hardware-counters.h"

void hardware_counters_begin(CUpti_SubscriberHandle subscriber)
{
	uint64_t period_ns;

	(void)subscriber;
	if (copse_gpu_counters(&period_ns))
		copse_gpu_lost(LOSS_GPU_COUNTERS_UNKNOWN, 1);
}

void hardware_counters_resource(CUpti_CallbackId id,
				const CUpti_ResourceData *data)
{
	(void)id;
	(void)data;
}

void hardware_counters_end(void)
{
}

void hardware_counters_forked(void)
{
}
