/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.h - what the kernel lets this user sample. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Open a task clock as the collector would, and close it.  `kernel`: with
 * kernel time.  0, or -errno; -EINVAL: the kernel is too old for it.
 */
int perf_try(bool kernel);

/* The same for a hardware counter, a perf_hw_id of <linux/perf_event.h>. */
int perf_try_counter(uint64_t event);

/*
 * Whether a filter, such as a container's seccomp profile, refuses
 * perf_event_open.  No permission helps then.
 */
bool perf_is_filtered(void);
