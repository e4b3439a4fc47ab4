/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * value.h - what all analyses share: the one run, its metric, values in the
 * units of reports, and the choice of the first rows.
 */
#ifndef ANALYSE_VALUE_H
#define ANALYSE_VALUE_H

#include <stddef.h>
#include <sys/types.h>

#include "analyse/analysis.h"

/* -EINVAL with a reason unless `runs` holds exactly one run. */
int value_one_run(const struct run *const runs[], const char *analysis);

/*
 * A report of `analysis` whose title says what ran; metric may be NULL.  NULL
 * with a reason when out of memory.
 */
struct report *value_report(const char *analysis, const struct run *run,
			    const struct run_metric *metric);

/*
 * The metric asked for, or `preferred` when none was; NULL: the time that was
 * sampled, wall.time in a run of `-e wall`, else cpu.time.  NULL, with a reason
 * that lists the metrics of the run, when it has no such metric, or when that
 * is an extreme, which is no share of anything.
 */
const struct run_metric *value_metric(const struct run *run,
				      const struct analysis_options *options,
				      const char *preferred);

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

/* The number; none when it is NAN or infinite. */
void value_known(struct report *report, double value);

/* Sum over ranks of each node's exclusive value, in the unit of reports. */
double value_node(const struct run_metric *metric, size_t node);

/*
 * Of a metric that is an extreme, that of all processes which have one; in the
 * unit of reports, 0: none has.
 */
double value_extreme(const struct run_metric *metric, size_t node);

/* a / b, and 0 when b is 0. */
double value_ratio(double a, double b);

/* "2.10 s", "31.0 ms", "12.0 µs"; `to` holds 32 bytes, and is returned. */
const char *value_time(char *to, double seconds);

/* "512 B", "2.50 GiB"; `to` holds 32 bytes, and is returned. */
const char *value_bytes(char *to, double bytes);

/*
 * How many hosts processes[0] … processes[count - 1] are on (NULL: the first
 * `count`), and, unless host is NULL, the number of each one's host in host[],
 * by first appearance.  -ENOMEM with a reason.
 */
ssize_t value_hosts(const struct run *run, const uint32_t *processes,
		    size_t count, uint32_t *host);

/* How many of `count` rows to show; `own` is the analysis's own choice. */
size_t value_limit(const struct analysis_options *options, size_t own,
		   size_t count);

/* "4 ranks", "1 rank"; `to` holds 32 bytes, and is returned. */
const char *value_plural(char *to, size_t count, const char *noun);

/* The same of a sum, whatever a foreign file has made of it. */
const char *value_many(char *to, double count, const char *noun);

/* "4 ranks", "rank 2 of 4", "1 process"; `to` as above. */
const char *value_extent(char *to, const struct run *run);

/* "rank", or "process" in a run without MPI. */
const char *value_noun(const struct run *run);

/* What a process is called: its rank, or its pid when it is none. */
uint64_t value_process(const struct run *run, size_t index);

/*
 * The processes that are compared: the run's members.  Indices into run->ranks,
 * to be freed; NULL when out of memory.
 */
uint32_t *value_processes(const struct run *run, size_t *count);

/* "0–2, 5" of processes picked[0 … count - 1]; to be freed, or NULL. */
char *value_list(const struct run *run, const uint32_t *picked, size_t count);

/* What the largest part of a whole is called: it is the most from half on. */
static inline const char *value_most(double share)
{
	return share >= 0.5 ? "most" : "the largest part";
}

static inline const char *value_most_begins(double share)
{
	return share >= 0.5 ? "Most" : "The largest part";
}

#endif
