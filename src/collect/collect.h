/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collect.h - what all of the collector reads: its settings, whether it is
 * active, and pauses.  start.c starts it before main() when the process runs
 * under `copse run`, and again in every forked child.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hidden.h"
#include "base/settings.h"

/* Mutable: the state of the process's one collector; set once, by start.c. */
struct collector {
	struct settings settings;
	const char *left_out; /* the live directory when this process is not to
				 be measured, or NULL */
	bool active; /* false: not under `copse run`, or something needed is
			missing */
};
extern HIDDEN struct collector collector;

static inline const struct settings *collect_settings(void)
{
	return &collector.settings;
}

static inline bool collect_active(void)
{
	return collector.active;
}

/*
 * Mutable, by control.c: what pauses took until now, of all threads; in a pause
 * that less the time when it began, which is negative.
 */
extern HIDDEN int64_t collect_pauses; /* atomic, ns */
static inline bool collect_paused(void)
{
	return __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED) < 0;
}

/*
 * Mutable, by control.c: nothing is measured, but the clocks tick now and then,
 * to look whether the user wants it to be.
 */
extern HIDDEN bool collect_watched;

/* What pauses took until then, which is now or lately (CLOCK_MONOTONIC). */
static inline __attribute__((always_inline)) int64_t
collect_paused_until(uint64_t ns)
{
	int64_t pauses = __atomic_load_n(&collect_pauses, __ATOMIC_RELAXED);

	return pauses < 0 ? pauses + (int64_t)ns : pauses;
}

/* timer-signal.c: installs the handler. */
int timer_signal_init(void);
