/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-watch.h - what the measured processes say of themselves while they run:
 * which GPUs they have used, and in which phase they are.
 *
 * Live profiles are read, not mapped (a hole would become a page), and with
 * suspicion.
 */
#ifndef LAUNCH_POWER_WATCH_H
#define LAUNCH_POWER_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/power.h"

enum {
	WATCH_PROCESSES = 64
};

/*
 * A measured process.  Which GPUs it uses is known once CUPTI has told of its
 * first work, a second or two late; until then `uses` are those that it sees.
 */
struct watch_process {
	uint64_t start_ns;
	uint32_t pid;
	uint32_t phase; /* the node it is in, 0: none; of its first thread */
	bool sees_any;  /* false: it may use any, or none */
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

/* As it is now: `at` and `count`. */
void watch_look(struct watch *watch);

#endif
