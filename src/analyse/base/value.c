/* SPDX-License-Identifier: BSD-3-Clause */
/* value.c - see value.h. */
#include <math.h>

#include "analyse/base/value.h"
#include "base/round.h"

double value_of(enum unit unit, double value)
{
	return unit == UNIT_NS ? value / 1e9 : value;
}

enum column_type value_type(enum unit unit)
{
	if (unit == UNIT_NS)
		return COLUMN_SECONDS;
	return unit == UNIT_BYTES ? COLUMN_BYTES : COLUMN_COUNT;
}

void value_if_known(struct report *report, double value)
{
	value_known(report, value > 0 ? value : NAN);
}

void value_cell(struct report *report, enum unit unit, double value)
{
	if (unit == UNIT_NS)
		report_number(report, value);
	else
		report_count(report, round_to_count(value));
}

void value_column(struct report *report, const char *id, const char *title,
		  const struct run_metric *metric)
{
	report_column(report, id, title, value_type(metric->unit));
}

void value_known(struct report *report, double value)
{
	if (isfinite(value))
		report_number(report, value);
	else
		report_none(report);
}

void value_count(struct report *report, double value)
{
	if (isfinite(value))
		report_count(report, round_to_count(value));
	else
		report_none(report);
}

double value_node(const struct run_metric *metric, size_t node)
{
	return value_of(metric->unit, metric->stats[node].sum);
}

double value_extreme(const struct run_metric *metric, size_t node)
{
	const struct run_stat *s = &metric->stats[node];

	return value_of(
		metric->unit,
		(double)(metric->merge == MERGE_MIN ? s->least : s->most));
}

double value_ratio(double a, double b)
{
	return b != 0 ? a / b : 0;
}
