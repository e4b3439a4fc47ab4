/* SPDX-License-Identifier: BSD-3-Clause */
/* waits-floor.c - CUPTI's records of kernels and of calls that wait. */
#define LAUNCHES_CALL 0
#define FLOOR_KINDS   CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
#include "gpu-floor.h"

static void on_launch(void)
{
}
