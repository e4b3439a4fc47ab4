/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-ranges.c - what GPUs did for the ranges of a program: how much of each
 * time that one was open, and which time was the longest.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-tables.h"
#include "analyse/gpu/gpu-work.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"
#include "base/str.h"

enum {
	ROWS = 20,
	SAID = 3, /* ranges with a sentence */
};

#define NS 1e9

struct range_rows {
	struct run_range *at; /* sums; the longest's rank */
	size_t count;
};

/* p95 is that of the process where it is longest. */
static void add_range_row(struct run_range *to, const struct run_range *from)
{
	struct run_range sum = *to;

	if (from->longest_ns > to->longest_ns)
		*to = *from;
#define SUM(name, value)              to->name = sum.name + (value);
#define ONCE(name, value)             /* of the longest */
#define COLUMN(type, name, help, how) how(name, from->name)
#include "live/range.def"
#undef COLUMN
#undef SUM
#undef ONCE
	if (sum.time_p95_ns > from->time_p95_ns)
		to->time_p95_ns = sum.time_p95_ns;
	else
		to->time_p95_ns = from->time_p95_ns;
	if (sum.busy_p95_ns > from->busy_p95_ns)
		to->busy_p95_ns = sum.busy_p95_ns;
	else
		to->busy_p95_ns = from->busy_p95_ns;
}

ORDER_BY(by_range_time, struct run_range, DESC(time_ns) ?: ASC(name))

static int sum_ranges(struct range_rows *to, const struct run *run)
{
	const struct run_facts *g = &run->facts;
	struct map map = { 0 };

	*to = (struct range_rows){ .at = calloc(g->range_count + 1,
						sizeof(*to->at)) };
	for (size_t i = 0; i < g->range_count && to->at; i++) {
		uint32_t at = map_put(&map, g->ranges[i].name, 0,
				      (uint32_t)to->count);

		if (at == MAP_NONE) {
			free(to->at);
			to->at = NULL;
		} else if (at == to->count) {
			to->at[to->count++] = g->ranges[i];
		} else {
			add_range_row(&to->at[at], &g->ranges[i]);
		}
	}
	map_fini(&map);
	if (!to->at)
		return no_memory();
	qsort(to->at, to->count, sizeof(*to->at), by_range_time);
	return 0;
}

static double each_time(uint64_t ns, const struct run_range *r)
{
	return value_ratio((double)ns / NS, (double)r->calls);
}

/* "step #: 40 times, 25 ms each (95 % within 26 ms), 70 % with a GPU busy…" */
static void say_range(struct report *report, const struct run *run,
		      const struct run_range *r)
{
	char calls[32], mean[32], most[32], busy[32], idle[32], exposed[32];
	char *messages = NULL;

	if (r->exposed_ns)
		messages = str_format(
			", NCCL alone %s",
			phrase_time(exposed, each_time(r->exposed_ns, r)));
	report_line(report,
		    "%s: %s of %s, 95 %% of them within %s; each has %s of "
		    "work, GPUs are idle for %s%s.",
		    str_at(&run->strings, r->name),
		    phrase_many(calls, (double)r->calls, "time"),
		    phrase_time(mean, each_time(r->time_ns, r)),
		    phrase_time(most, (double)r->time_p95_ns / NS),
		    phrase_time(busy, each_time(r->busy_ns, r)),
		    phrase_time(idle, each_time(r->idle_ns, r)),
		    messages ? messages : "");
	report->failed |= r->exposed_ns && !messages;
	free(messages);
}

/* Columns of copies and of NCCL: for readers when there are some. */
static void range_columns(struct report *report, bool copies, bool messages)
{
	const struct {
		const char *id, *title;
		enum column_type type;
	} columns[] = {
		{ "range", "range", COLUMN_TEXT },
		{ "calls", "times", COLUMN_COUNT },
		{ "seconds", "time", COLUMN_SECONDS },
		{ "mean", "mean", COLUMN_SECONDS },
		{ "p95", "p95", COLUMN_SECONDS },
		{ "longest", NULL, COLUMN_SECONDS },
		{ "busy", "busy", COLUMN_SECONDS },
		{ "busy_mean", NULL, COLUMN_SECONDS },
		{ "busy_p95", NULL, COLUMN_SECONDS },
		{ "idle", "idle", COLUMN_SECONDS },
		{ "idle_mean", NULL, COLUMN_SECONDS },
		{ "exposed", messages ? "NCCL alone" : NULL, COLUMN_SECONDS },
		{ "launches", "launches", COLUMN_COUNT },
		{ "kernels", "kernels", COLUMN_SECONDS },
		{ "copies", NULL, COLUMN_COUNT },
		{ "copies_time", copies ? "copies" : NULL, COLUMN_SECONDS },
	};

	report_table(report, "ranges", "ranges");
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		report_column(report, columns[i].id, columns[i].title,
			      columns[i].type);
}

static void range_cells(struct report *report, const struct run *run,
			const struct run_range *r)
{
	report_text(report, str_at(&run->strings, r->name));
	report_count(report, r->calls);
	report_number(report, (double)r->time_ns / NS);
	report_number(report, each_time(r->time_ns, r));
	report_number(report, (double)r->time_p95_ns / NS);
	report_number(report, (double)r->longest_ns / NS);
	report_number(report, (double)r->busy_ns / NS);
	report_number(report, each_time(r->busy_ns, r));
	report_number(report, (double)r->busy_p95_ns / NS);
	report_number(report, (double)r->idle_ns / NS);
	report_number(report, each_time(r->idle_ns, r));
	report_number(report, (double)r->exposed_ns / NS);
	report_count(report, r->launches);
	report_number(report, (double)r->kernels_ns / NS);
	report_count(report, r->copies);
	report_number(report, (double)r->copies_ns / NS);
}

/* Of ranges that were open several times, the longest of these. */
static void longest_table(struct report *report, const struct run *run,
			  const struct range_rows *rows, size_t limit)
{
	report_table(report, "longest", "the longest of each");
	report_column(report, "range", "range", COLUMN_TEXT);
	report_column(report, "name", "name", COLUMN_TEXT);
	report_column(report, "rank",
		      run->member_count > 1 ? processes_noun(run) : NULL,
		      COLUMN_COUNT);
	report_column(report, "at", "begin", COLUMN_SECONDS);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "relative", "to the mean", COLUMN_NUMBER);
	report_column(report, "busy", "busy", COLUMN_SECONDS);
	report_column(report, "idle", "idle", COLUMN_SECONDS);
	for (size_t i = 0; i < limit; i++) {
		const struct run_range *r = &rows->at[i];
		double seconds = (double)r->longest_ns / NS;

		if (r->calls < 2)
			continue;
		report_text(report, str_at(&run->strings, r->name));
		report_text(report, str_at(&run->strings, r->longest));
		report_count(report, processes_number(run, r->rank));
		report_number(report, (double)r->longest_at_ns / NS);
		report_number(report, seconds);
		report_number(report,
			      value_ratio(seconds, each_time(r->time_ns, r)));
		report_number(report, (double)r->longest_busy_ns / NS);
		report_number(report, (double)r->longest_idle_ns / NS);
	}
}

static void note_lost_ranges(struct report *report, const struct run *run)
{
	double lost = gpu_lost(run, LOSS_GPU_RANGES);

	if (lost > 0)
		report_note(report,
			    "%.0f ranges, or pieces of work in them, are not "
			    "known to their end and are left out (gpu.ranges).",
			    lost);
}

static int fill_gpu_ranges(struct report *report, const struct paths *paths,
			   const struct analysis_options *options)
{
	const struct run *run = paths->run;
	struct range_rows rows;
	bool copies = false, messages = false;
	size_t limit;
	int err = sum_ranges(&rows, run);

	if (err)
		return err;
	limit = analysis_limit(options, ROWS, rows.count);
	if (!rows.count)
		report_line(report, "The program has no ranges (NVTX, or "
				    "copse_begin()), or no GPU was used.");
	for (size_t i = 0; i < rows.count; i++) {
		copies |= rows.at[i].copies > 0;
		messages |= rows.at[i].exposed_ns > 0;
	}
	for (size_t i = 0, said = 0; i < limit && said < SAID; i++)
		if (rows.at[i].calls > 1) {
			say_range(report, run, &rows.at[i]);
			said++;
		}
	range_columns(report, copies, messages);
	for (size_t i = 0; i < limit; i++)
		range_cells(report, run, &rows.at[i]);
	longest_table(report, run, &rows, limit);
	note_lost_ranges(report, run);
	free(rows.at);
	return 0;
}

GPU_ANALYSIS(gpu_ranges, "gpu-ranges",
	     "what GPUs did for ranges of the program: NVTX, phases, steps",
	     fill_gpu_ranges)
