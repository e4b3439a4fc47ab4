/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind-floor.c - CUPTI's records, and the whole call path of each launch. */
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#define LAUNCHES_CALL 1
#include "gpu-floor.h"

static void on_launch(void)
{
	static __thread void *path[256];

	unw_backtrace(path, 256);
}
