/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h - what a metric is, shared by every stage from live to format. */
#pragma once

#include <stdint.h>

/* Files keep nanoseconds, bytes and counts; reports print seconds. */
enum unit {
	UNIT_COUNT,
	UNIT_NS,
	UNIT_BYTES
};

/* How two values of one context become one. */
enum merge {
	MERGE_SUM,
	MERGE_MAX,
	MERGE_MIN
};

/* How the names of events begin. */
#define METRIC_EVENT "papi."

/* How an event was counted, over all threads; all 0: the metric is no event. */
struct counting {
	uint64_t period;    /* of samples; 0: counted, not sampled */
	uint64_t user_only; /* 1: without the kernel */
	uint64_t enabled_ns, running_ns; /* asked for, and on the processor */
};

struct metric_info {
	const char *name; /* "cpu.time" */
	enum unit unit;
	enum merge merge;
	const char *help;
};

/* Combine two values of one context. */
static inline uint64_t metric_merge(enum merge merge, uint64_t a, uint64_t b)
{
	switch (merge) {
	case MERGE_MAX:
		return a > b ? a : b;
	case MERGE_MIN:
		return a < b ? a : b;
	default:
		return a + b;
	}
}
