/* SPDX-License-Identifier: BSD-3-Clause */
/* activity-floor.c - CUPTI's records of kernels alone. */
#define LAUNCHES_CALL 0
#include "gpu-floor.h"

static void on_launch(void)
{
}
