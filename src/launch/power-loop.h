/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * power-loop.h - the process that reads power: its loop, what it reads for
 * which GPUs, and what it makes of the readings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch/nvml.h"
#include "live/power.h"

/* power-readings.c: turns readings of one GPU into sums and a time series. */

/* Between two readings that are further apart, nothing is known. */
#define READINGS_GAP_NS 2500000000ull

struct power_readings { /* all but `board` zero at first */
	struct live_power_board *board;
	uint64_t last_ns; /* of the last good reading; 0: none */
	uint32_t last_mw;
	uint64_t last_mj, first_mj; /* of its counter; 0 and 0: none yet */
	bool asked;                 /* the last reading had the counter */
	uint64_t since_uj;          /* by power, after the counter's last */
};

/* What one reading adds. */
struct power_step {
	uint64_t uj, ns;      /* both 0: it is the first, or after a gap */
	struct gpu_uses uses; /* of that time; all 0: they are not known */
};

/*
 * Add a reading of that time.  Its energy comes from the counter, if this
 * reading and the last one have it; otherwise it is the trapezoid of power.
 */
struct power_step power_readings_add(struct power_readings *sums, uint64_t now,
				     const struct nvml_reading *reading);

/* Add what parts were used for until then. */
void power_readings_uses(struct power_readings *sums, uint64_t now,
			 const struct gpu_uses *uses);

/*
 * power-watch.c: reads from the live profiles of running processes which GPUs
 * they use, and in which phase they are.
 *
 * Live profiles are foreign input.  They are read and not mapped: to read a
 * hole through a mapping would allocate a page.
 */

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

/* Whether a process of the folder has listed a GPU. */
bool watch_sees_devices(const struct watch *watch);

/* Milliseconds between rounds. */
enum power_pace {
	POWER_ALWAYS = 100,
	POWER_ONCE_USED = 500, /* and only once a program uses a GPU */
};

/*
 * Read power into `power` at that pace, until the other end of the pipe at
 * descriptor 0 is closed; then read once more.
 *
 * GPUs that processes of `folder` use are read in each round, the others in
 * each tenth.  While no process uses a GPU, all are read in each round.  The
 * time between rounds is random, so that it cannot keep step with the program.
 */
void power_loop_run(struct live_power *power, const char *folder,
		    enum power_pace pace);
