/* SPDX-License-Identifier: BSD-3-Clause */
/* power-readings.h - turns readings of one GPU into sums and a time series. */
#pragma once

#include "launch/nvml.h"
#include "live/power.h"

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
	uint64_t uj, ns; /* both 0: it is the first, or after a gap */
};

/*
 * Add a reading of that time.  Its energy comes from the counter, if this
 * reading and the last one have it; otherwise it is the trapezoid of power.
 */
struct power_step power_readings_add(struct power_readings *sums, uint64_t now,
				     const struct nvml_reading *reading);
