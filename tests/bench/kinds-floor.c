/* SPDX-License-Identifier: BSD-3-Clause */
/* kinds-floor.c - CUPTI's records of all kinds that copse asks for. */
#define LAUNCHES_CALL 0
#define FLOOR_KINDS                                                            \
	CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,               \
		CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_GRAPH_TRACE,   \
		CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_DEVICE
#include "gpu-floor.h"

static void on_launch(void)
{
}
