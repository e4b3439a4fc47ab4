/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls-floor.c - CUPTI's records, and a callback that does nothing for all
 * calls of the runtime and the driver: four for a launch, as copse has them.
 */
#define LAUNCHES_CALL 2
#include "gpu-floor.h"

static void on_launch(void)
{
}
