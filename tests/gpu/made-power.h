/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-power.h - the power of made GPUs: what a program says it is, in the file
 * MADE_POWER, and the made NVML reads.  It is a step function, so its integral
 * at any time is known exactly.
 */
#pragma once

#include <stdint.h>
#include <time.h>

struct made_power {
	uint64_t since_ns; /* CLOCK_MONOTONIC: the last step; 0: none yet */
	double watts;      /* from then on */
	double joules;     /* until then */
};

static inline uint64_t made_power_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double made_power_joules(const struct made_power *p)
{
	if (!p->since_ns)
		return 0;
	return p->joules +
	       p->watts * (double)(made_power_clock() - p->since_ns) / 1e9;
}
