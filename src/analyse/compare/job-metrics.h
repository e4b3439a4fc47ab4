/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job-metrics.h - a running job for a monitoring system: few numbers of all its
 * processes on a host, by names that Prometheus's conventions give (base units,
 * counters end in _total).
 */
#pragma once

#include <stddef.h>

#include "run/run.h"

struct job_metric {
	const char *name, *help;
	bool counter; /* it only grows; else a gauge */
	double value;
};

enum {
	JOB_METRICS = 32 /* at most */
};

/*
 * Those that are known of the run `now`, which was so `seconds` ago.  0, or
 * -errno with a reason.
 */
int job_metrics(struct job_metric to[JOB_METRICS], size_t *count,
		const struct run *before, const struct run *now,
		double seconds);
