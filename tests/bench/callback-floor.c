/* SPDX-License-Identifier: BSD-3-Clause */
/* callback-floor.c - CUPTI's records, and a callback that does nothing. */
#define LAUNCHES_CALL 1
#include "gpu-floor.h"

static void on_launch(void)
{
}
