/* SPDX-License-Identifier: BSD-3-Clause */
/* broken.c - stands in front of clock_timer_signal(), which every handler
 * calls. */
#include "broken.h"
#include "collect/sampling/clock.h"

__typeof__(clock_timer_signal) __real_clock_timer_signal,
	__wrap_clock_timer_signal;

enum timer_signal __wrap_clock_timer_signal(const siginfo_t *info)
{
	do_wrong();
	return __real_clock_timer_signal(info);
}
