/* SPDX-License-Identifier: BSD-3-Clause */
/* value.h - values of metrics in the units of reports, and their cells. */
#pragma once

#include <math.h>

#include "analyse/base/report.h"
#include "run/run.h"

#define NO_VALUE ((double)NAN)

/* Nanoseconds become seconds; the rest stays. */
double value_of(enum unit unit, double value);
enum column_type value_type(enum unit unit);

/* A cell of that unit; `value` is already as value_of() makes it. */
void value_cell(struct report *report, enum unit unit, double value);

/* A number, or nothing when it is 0: not known. */
void value_if_known(struct report *report, double value);

/* "exclusive" and the like: a column in the metric's unit. */
void value_column(struct report *report, const char *id, const char *title,
		  const struct run_metric *metric);

/* The number, or the count; none when it is NO_VALUE or infinite. */
void value_known(struct report *report, double value);
void value_count(struct report *report, double value);

/* Sum over ranks of each node's exclusive value, in the unit of reports. */
double value_node(const struct run_metric *metric, size_t node);

/*
 * Of a metric that is an extreme, that of all processes which have one; in the
 * unit of reports, 0: none has.
 */
double value_extreme(const struct run_metric *metric, size_t node);

/* a / b, and 0 when b is 0. */
double value_ratio(double a, double b);
