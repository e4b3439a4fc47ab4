/* SPDX-License-Identifier: BSD-3-Clause */
/* value.c - metrics, units, rows and the names of processes. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/value.h"
#include "base/err.h"
#include "base/spelling.h"
#include "base/map.h"
#include "base/round.h"
#include "live/layout.h"

int value_one_run(const struct run *const runs[], const char *analysis)
{
	if (runs[0] && !runs[1])
		return 0;
	return fail(-EINVAL, "%s takes one profile at a time", analysis);
}

struct report *value_report(const char *analysis, const struct run *run,
			    const struct run_metric *metric)
{
	char ranks[32], *title = NULL;
	struct report *report = NULL;

	value_extent(ranks, run);
	title = str_format("%s%s%s · %s · %s", analysis, metric ? " by " : "",
			   metric ? metric->name : "",
			   str_at(&run->strings, run->command), ranks);
	if (title)
		report = report_new(analysis, title);
	if (report && metric) {
		report->metric = strdup(metric->name);
		report->metric_type = value_type(metric->unit);
		report->failed |= !report->metric;
	}
	if (!report)
		no_memory();
	free(title);
	return report;
}

/*
 * What was sampled; of a program that ended before its first sample, any other
 * time that adds up.
 */
static const char *measured_time(const struct run *run)
{
	bool wall = run_metric(run, "wall.time") != NULL;

	for (size_t i = 0; i < run->rank_count && wall; i++)
		if (run->ranks[i].wall == LIVE_WALL_SAMPLED)
			return "wall.time";
	if (run_metric(run, "cpu.time"))
		return "cpu.time";
	for (size_t i = 0; i < run->metric_count; i++)
		if (run->metrics[i].merge == MERGE_SUM &&
		    run->metrics[i].unit == UNIT_NS)
			return run->metrics[i].name;
	return "cpu.time";
}

const struct run_metric *value_metric(const struct run *run,
				      const struct analysis_options *options,
				      const char *preferred)
{
	const char *name = options->metric ? options->metric
			   : preferred     ? preferred
					   : measured_time(run);
	const struct run_metric *metric = run_metric(run, name);
	char known[400] = "";
	struct spelling near;
	size_t used = 0;

	if (metric && metric->merge != MERGE_SUM) {
		fail(-EINVAL,
		     "'%s' is of single calls; only mpi-calls ranks by it",
		     name);
		return NULL;
	}
	if (metric)
		return metric;
	spelling_begin(&near, name);
	for (size_t i = 0; i < run->metric_count; i++) {
		spelling_try(&near, run->metrics[i].name);
		if (used < sizeof(known) - 1)
			used += (size_t)snprintf(
				known + used, sizeof(known) - used, "%s%s",
				i ? ", " : "", run->metrics[i].name);
	}
	fail(-EINVAL, "no metric '%s' in this profile%s it has %s", name,
	     spelling_hint(&near), used ? known : "none");
	return NULL;
}

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
	if (value > 0)
		report_number(report, value);
	else
		report_none(report);
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

const char *value_time(char *to, double seconds)
{
	const char *unit = "s";

	if (seconds == 0)
		return strcpy(to, "0 s");
	if (seconds < 1e-3) {
		seconds *= 1e6;
		unit = "µs";
	} else if (seconds < 1) {
		seconds *= 1e3;
		unit = "ms";
	}
	snprintf(to, 32, "%.*f %s",
		 seconds < 10    ? 2
		 : seconds < 100 ? 1
				 : 0,
		 seconds, unit);
	return to;
}

const char *value_bytes(char *to, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	for (; bytes >= 1024 && unit < 4; unit++)
		bytes /= 1024;
	snprintf(to, 32, "%.*f %s",
		 !unit || bytes >= 100 ? 0
		 : bytes >= 10         ? 1
				       : 2,
		 bytes, units[unit]);
	return to;
}

ssize_t value_hosts(const struct run *run, const uint32_t *processes,
		    size_t count, uint32_t *host)
{
	struct map numbers = { 0 };
	ssize_t hosts = 0;

	for (size_t i = 0; i < count && hosts >= 0; i++) {
		size_t process = processes ? processes[i] : i;
		uint32_t is = map_put(&numbers, run->ranks[process].host, 0,
				      (uint32_t)hosts);

		if (host)
			host[i] = is;
		if (is == MAP_NONE)
			hosts = no_memory();
		else
			hosts += is == (uint32_t)hosts;
	}
	map_fini(&numbers);
	return hosts;
}

size_t value_limit(const struct analysis_options *options, size_t own,
		   size_t count)
{
	size_t limit = options->limit ? options->limit : own;

	return limit < count ? limit : count;
}

const char *value_plural(char *to, size_t count, const char *noun)
{
	const char *end = "";

	if (count != 1)
		end = strchr("sh", noun[strlen(noun) - 1]) ? "es" : "s";
	snprintf(to, 32, "%zu %s%s", count, noun, end);
	return to;
}

const char *value_many(char *to, double count, const char *noun)
{
	return value_plural(to, (size_t)round_to_count(count), noun);
}

const char *value_extent(char *to, const struct run *run)
{
	if (run->member_count == 1 && run->world > 1)
		snprintf(to, 32, "rank %d of %u", run->ranks[0].rank,
			 run->world);
	else
		value_plural(to, run->world ? run->world : run->member_count,
			     value_noun(run));
	return to;
}

const char *value_noun(const struct run *run)
{
	return run->world ? "rank" : "process";
}

uint64_t value_process(const struct run *run, size_t index)
{
	const struct run_rank *r = &run->ranks[index];

	return run->world && index < run->member_count ? (uint64_t)r->rank
						       : r->pid;
}

uint32_t *value_processes(const struct run *run, size_t *count)
{
	uint32_t *picked = calloc(run->member_count + 1, sizeof(*picked));

	*count = 0;
	if (!picked) {
		no_memory();
		return NULL;
	}
	while (*count < run->member_count) {
		picked[*count] = (uint32_t)*count;
		++*count;
	}
	return picked;
}

/* The last of the numbers that follow picked[from] without a gap. */
static size_t range_end(const struct run *run, const uint32_t *picked,
			size_t count, size_t from)
{
	while (from + 1 < count && value_process(run, picked[from + 1]) ==
					   value_process(run, picked[from]) + 1)
		from++;
	return from;
}

char *value_list(const struct run *run, const uint32_t *picked, size_t count)
{
	char *text = NULL;
	size_t size, last;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < count; i = last + 1) {
		last = range_end(run, picked, count, i);
		fprintf(to, "%s%" PRIu64, i ? ", " : "",
			value_process(run, picked[i]));
		if (last > i)
			fprintf(to, "%s%" PRIu64, last > i + 1 ? "–" : ", ",
				value_process(run, picked[last]));
		if (ftell(to) > 60 && last + 1 < count) {
			fputs(", …", to);
			break;
		}
	}
	fclose(to);
	return text;
}
