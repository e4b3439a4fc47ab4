/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-stalls.c - what kernels were sampled in, and what their warps waited for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/base/confidence.h"
#include "analyse/gpu/gpu-tables.h"
#include "analyse/gpu/gpu-work.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"
#include "live/layout.h"

enum {
	ROWS = 20,
	NAMED = 3, /* things waited for that a row names */
};
#define LEAST_NAMED 0.05

static const struct stall {
	enum metric metric;
	const char *word;
} stalls[] = {
	{ METRIC_GPU_STALL_ISSUED, "issued" },
	{ METRIC_GPU_STALL_READY, "ready" },
	{ METRIC_GPU_STALL_MEMORY, "memory" },
	{ METRIC_GPU_STALL_SHARED, "shared" },
	{ METRIC_GPU_STALL_QUEUE, "queue" },
	{ METRIC_GPU_STALL_PIPE, "pipe" },
	{ METRIC_GPU_STALL_LATENCY, "latency" },
	{ METRIC_GPU_STALL_BARRIER, "barrier" },
	{ METRIC_GPU_STALL_CODE, "code" },
	{ METRIC_GPU_STALL_OTHER, "other" },
};
enum {
	STALLS = sizeof(stalls) / sizeof(*stalls)
};

/* What rows are of. */
enum by {
	BY_KERNEL,
	BY_LINE,
	BY_PATH, /* and line */
};

struct stall_row {
	uint32_t function, file, line; /* line 0: not known */
	uint32_t path;
	double samples, unissued, with_line;
	double stalls[STALLS];
};

struct stall_rows {
	struct stall_row *at; /* by samples: most first */
	size_t count;
	double samples, unissued, with_line;
};

static double stall_value(const struct run *run, enum metric metric,
			  uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric_infos[metric].name);

	return m ? value_node(m, node) : 0;
}

static struct stall_row stall_row_of(const struct paths *paths, uint32_t node,
				     enum by by)
{
	const struct run_node *n = &paths->run->nodes[node];
	struct stall_row row = { .function = n->function };

	if (by != BY_KERNEL && n->kind == RUN_LINE) {
		row.file = n->file;
		row.line = n->line;
	}
	if (by == BY_PATH)
		row.path = paths->of[node];
	return row;
}

static void add_stalls(struct stall_row *to, const struct run *run,
		       uint32_t node, double samples)
{
	to->samples += samples;
	to->unissued += stall_value(run, METRIC_GPU_UNISSUED, node);
	if (run->nodes[node].kind == RUN_LINE)
		to->with_line += samples;
	for (size_t i = 0; i < STALLS; i++)
		to->stalls[i] += stall_value(run, stalls[i].metric, node);
}

ORDER_BY(by_samples, struct stall_row, DESC(samples) ?: ASC(path) ?: ASC(line))

static int collect_stalls(struct stall_rows *rows, struct map *map,
			  const struct paths *paths, enum by by)
{
	const struct run *run = paths->run;

	for (uint32_t i = 0; i < run->node_count; i++) {
		double samples = stall_value(run, METRIC_GPU_SAMPLES, i);
		struct stall_row row = stall_row_of(paths, i, by);
		uint32_t at;

		if (samples <= 0)
			continue;
		at = map_put(map, (uint64_t)row.function << 32 | row.path,
			     (uint64_t)row.file << 32 | row.line,
			     (uint32_t)rows->count);
		if (at == MAP_NONE)
			return no_memory();
		if (at == rows->count)
			rows->at[rows->count++] = row;
		add_stalls(&rows->at[at], run, i, samples);
	}
	return 0;
}

static int stall_rows_init(struct stall_rows *rows, const struct paths *paths,
			   enum by by)
{
	struct map map = { 0 };
	int err;

	*rows = (struct stall_rows){ .at = calloc(paths->run->node_count + 1,
						  sizeof(*rows->at)) };
	if (!rows->at)
		return no_memory();
	err = collect_stalls(rows, &map, paths, by);
	map_fini(&map);
	qsort(rows->at, rows->count, sizeof(*rows->at), by_samples);
	for (size_t i = 0; i < rows->count; i++) {
		rows->samples += rows->at[i].samples;
		rows->unissued += rows->at[i].unissued;
		rows->with_line += rows->at[i].with_line;
	}
	return err;
}

/* "memory 62 %, latency 20 %": the most that warps waited for, and "issued". */
static void say_stalls(struct report *report, const struct stall_row *row)
{
	char text[128] = "";
	bool said[STALLS] = { false };

	for (int n = 0; n < NAMED; n++) {
		size_t most = STALLS, length = strlen(text);

		for (size_t i = 0; i < STALLS; i++)
			if (!said[i] && (most == STALLS ||
					 row->stalls[i] > row->stalls[most]))
				most = i;
		if (most == STALLS ||
		    row->stalls[most] < LEAST_NAMED * row->samples)
			break;
		said[most] = true;
		snprintf(text + length, sizeof(text) - length, "%s%s %.0f %%",
			 n ? ", " : "", stalls[most].word,
			 100 * row->stalls[most] / row->samples);
	}
	report_text(report, *text ? text : NULL);
}

static void stall_columns(struct report *report)
{
	report_column(report, NULL, "warps", COLUMN_TEXT);
	report_column(report, "unissued", NULL, COLUMN_SHARE);
	for (size_t i = 0; i < STALLS; i++)
		report_column(report, stalls[i].word, NULL, COLUMN_SHARE);
}

static void stall_cells(struct report *report, const struct stall_row *row)
{
	say_stalls(report, row);
	report_number(report, row->unissued / row->samples);
	for (size_t i = 0; i < STALLS; i++)
		report_number(report, row->stalls[i] / row->samples);
}

static void sample_columns(struct report *report)
{
	report_column(report, "samples", "samples", COLUMN_COUNT);
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "share_low", NULL, COLUMN_SHARE);
	report_column(report, "share_high", NULL, COLUMN_SHARE);
}

static void sample_cells(struct report *report, const struct stall_row *row,
			 double all)
{
	double share = value_ratio(row->samples, all);
	struct confidence c = confidence_of(share, all);

	value_cell(report, UNIT_COUNT, row->samples);
	report_share(report, share, c.margin);
	confidence_cells(report, &c, all);
}

static void line_cell(struct report *report, const struct run *run,
		      const struct stall_row *row)
{
	char *place = row->line ? paths_place(run, row->file, row->line) : NULL;

	report_text(report, place);
	free(place);
}

static void line_table(struct report *report, const struct run *run,
		       const struct stall_rows *rows,
		       const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, rows->count);

	report_table(report, "lines", "lines of kernels");
	report_column(report, "line", "line", COLUMN_TEXT);
	report_column(report, "file", NULL, COLUMN_TEXT);
	report_column(report, "kernel", "kernel", COLUMN_TEXT);
	sample_columns(report);
	stall_columns(report);
	for (size_t i = 0; i < limit; i++) {
		const struct stall_row *row = &rows->at[i];

		line_cell(report, run, row);
		report_text(report, row->line ? str_at(&run->strings, row->file)
					      : NULL);
		report_text(report, str_at(&run->strings, row->function));
		sample_cells(report, row, rows->samples);
		stall_cells(report, row);
	}
}

static void kernel_stall_table(struct report *report, const struct run *run,
			       const struct stall_rows *rows,
			       const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, rows->count);

	report_table(report, "kernels", "kernels");
	report_column(report, "kernel", "kernel", COLUMN_TEXT);
	sample_columns(report);
	report_column(report, "with_line", "with a line", COLUMN_SHARE);
	stall_columns(report);
	for (size_t i = 0; i < limit; i++) {
		const struct stall_row *row = &rows->at[i];

		report_text(report, str_at(&run->strings, row->function));
		sample_cells(report, row, rows->samples);
		report_number(report, row->with_line / row->samples);
		stall_cells(report, row);
	}
}

/* How many paths each kernel has, by its name; 0: no memory. */
static uint32_t *count_paths(const struct run *run,
			     const struct stall_rows *rows)
{
	uint32_t *counts = calloc(run->strings.count + 1, sizeof(*counts));
	struct map map = { 0 };

	for (size_t i = 0; i < rows->count && counts; i++) {
		const struct stall_row *row = &rows->at[i];
		uint32_t at = map_put(&map, row->function, row->path,
				      (uint32_t)map.count);

		if (at == MAP_NONE) {
			free(counts);
			counts = NULL;
		} else if (at + 1 == map.count) {
			counts[row->function]++;
		}
	}
	map_fini(&map);
	return counts;
}

static int stall_path_table(struct report *report, const struct paths *paths,
			    const struct analysis_options *options)
{
	const struct run *run = paths->run;
	struct stall_rows rows;
	int err = stall_rows_init(&rows, paths, BY_PATH);
	size_t limit = analysis_limit(options, ROWS, rows.count);
	uint32_t *counts = err ? NULL : count_paths(run, &rows);

	report_table(report, "paths", "lines by launch path");
	report_column(report, "line", "line", COLUMN_TEXT);
	report_column(report, "kernel", NULL, COLUMN_TEXT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "samples", "samples", COLUMN_COUNT);
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "estimate", "", COLUMN_TEXT);
	for (size_t i = 0; i < limit && counts; i++) {
		const struct stall_row *row = &rows.at[i];

		line_cell(report, run, row);
		report_text(report, str_at(&run->strings, row->function));
		paths_cell(report, paths, row->path);
		value_cell(report, UNIT_COUNT, row->samples);
		report_number(report, row->samples / rows.samples);
		report_text(report,
			    counts[row->function] > 1 ? "estimate" : "sampled");
	}
	if (!err && !counts)
		err = no_memory();
	free(counts);
	free(rows.at);
	return err;
}

static void say_cost(struct report *report, const struct run *run)
{
	char host[32];

	if (run->facts.sampling_count)
		report_line(report, "Hosts spent %s on taking samples.",
			    phrase_time(host,
					(double)run->facts.sampling->ns / 1e9));
}

static void say_all(struct report *report, const struct run *run,
		    const struct stall_rows *rows, size_t kernels)
{
	double without = rows->samples - rows->with_line;
	char samples[32], text[32];

	say_cost(report, run);
	if (!rows->count) {
		report_line(report, "No samples of kernels%s.",
			    run->facts.sampling_count
				    ? ""
				    : ": copse run --gpu-sampling=on takes "
				      "them");
		return;
	}
	report_line(report,
		    "%s of warps in %s; at %.0f %% of them the scheduler "
		    "issued nothing.",
		    phrase_many(samples, rows->samples, "sample"),
		    phrase_plural(text, kernels, "kernel"),
		    100 * rows->unissued / rows->samples);
	if (without > 0)
		report_note(report,
			    "%.1f %% of the samples have no line: their code "
			    "was built without -lineinfo, or not kept.",
			    100 * without / rows->samples);
	report_note(report, "A sample does not name its launch: the samples of "
			    "a kernel that several paths launched are divided "
			    "in proportion to its time for each.");
}

static int stall_tables(struct report *report, const struct paths *paths,
			const struct analysis_options *options)
{
	struct stall_rows lines = { 0 }, kernels = { 0 };
	int err = stall_rows_init(&lines, paths, BY_LINE);

	if (!err)
		err = stall_rows_init(&kernels, paths, BY_KERNEL);
	if (!err)
		say_all(report, paths->run, &lines, kernels.count);
	if (!err) {
		line_table(report, paths->run, &lines, options);
		kernel_stall_table(report, paths->run, &kernels, options);
		err = stall_path_table(report, paths, options);
	}
	gpu_losses_notes(report, paths->run, "gpu.samples.");
	free(lines.at);
	free(kernels.at);
	return err;
}

GPU_ANALYSIS(gpu_stalls, "gpu-stalls",
	     "lines of kernels, and what their warps waited for", stall_tables)
