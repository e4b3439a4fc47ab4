/* SPDX-License-Identifier: BSD-3-Clause */
/* flush-floor.c - CUPTI's records of kernels, asked for each second. */
#define LAUNCHES_CALL 0
#define FLOOR_FLUSH   1
#include "gpu-floor.h"

static void on_launch(void)
{
}
