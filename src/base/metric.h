/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h - what a metric is, shared by every stage from live to present. */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

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

struct metric_info {
	const char *name; /* "cpu.time" */
	enum unit unit;
	enum merge merge;
	const char *help;
};

#endif
