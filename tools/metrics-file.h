/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics-file.h - metrics of a job in Prometheus's text format, for the
 * textfile collector of its node exporter: no time stamps, the file is there as
 * a whole or not at all.
 */
#pragma once

#include "analyse/compare/job-metrics.h"

/* Each with the label run="…".  0, or -errno with a reason. */
int metrics_file_write(const char *path, const struct run *run,
		       const char *name, const struct job_metric *metrics,
		       size_t count);
