/* SPDX-License-Identifier: BSD-3-Clause */
/* broken.c - stands in front of clock_tick(), which every handler calls. */
#include "broken.h"
#include "collect/clock.h"

__typeof__(clock_tick) __real_clock_tick, __wrap_clock_tick;

enum tick __wrap_clock_tick(const siginfo_t *info)
{
	do_wrong();
	return __real_clock_tick(info);
}
