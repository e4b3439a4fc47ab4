/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.h - what the kernel lets this user sample. */
#ifndef LAUNCH_PERF_H
#define LAUNCH_PERF_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open a task clock as the collector would, with kernel time or only the
 * program's own, with or without sigtrap, and close it: 0, or the errno.
 */
int perf_try(bool kernel, bool sigtrap);

/* The same of a hardware counter, a perf_hw_id of <linux/perf_event.h>. */
int perf_try_counter(uint64_t event);

/*
 * Whether calls of perf_event_open do not come to the kernel, as under a
 * container's seccomp profile: no permission helps there.
 */
bool perf_is_filtered(void);

#endif
