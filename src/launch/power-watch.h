/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-watch.h - reads from the live profiles of running processes which GPUs
 * they use, and in which phase they are.
 *
 * Live profiles are foreign input.  They are read and not mapped: to read a
 * hole through a mapping would allocate a page.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/power.h"

enum {
	WATCH_PROCESSES = 64
};

/*
 * A measured process.  Its GPUs are known one or two seconds after its first
 * work, when CUPTI reports it; until then `uses` has all GPUs that it can see.
 */
struct watch_process {
	uint64_t start_ns;
	uint32_t pid;
	uint32_t phase; /* node of its first thread's phase; 0: none */
	bool sees_any;  /* false: it is not known which it can see */
	bool uses[LIVE_POWER_BOARDS];
};

struct watch {
	const char *folder;       /* borrowed */
	struct live_power *power; /* its devices are added to */
	/* The board of a device's UUID, without "GPU-". */
	uint32_t (*board_of)(void *to, const char *uuid, bool *is_mig);
	void *to;
	struct watch_process at[WATCH_PROCESSES];
	size_t count;
};

/* Update `at` and `count`. */
void watch_look(struct watch *watch);
