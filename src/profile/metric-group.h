/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metric-group.h - the group of a metric in a file: what rank-N.h5 and run.h5
 * say alike about a metric, beside its values.
 */
#pragma once

#include "base/metric.h"
#include "profile/store/store.h"

enum {
	METRIC_NAME_SIZE = 56,
	METRIC_PATH_SIZE = 400
};

struct metric_group {
	char name[METRIC_NAME_SIZE];
	enum unit unit;
	enum merge merge;
	struct counting counting;
};

/*
 * "metrics/NAME/part", or without a part "metrics/NAME"; a '/' in the name is
 * made harmless.  Returns `to`.
 */
const char *metric_path(char to[METRIC_PATH_SIZE], const char *name,
			const char *part);

/* The group of all metrics, which is there also when none was measured. */
void metric_groups_new(struct store *s);
void metric_group_put(struct store *s, const struct metric_group *metric);

/* From the group of that name; a damaged one fails the store. */
void metric_group_get(struct store *s, const char *name,
		      struct metric_group *metric);
