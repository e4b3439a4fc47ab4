/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-calls.c - MPI calls by call site, function, size and communicator. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/base/measuring.h"
#include "analyse/base/report.h"
#include "analyse/mpi/mpi-callsites.h"
#include "analyse/paths/paths.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/comparison.h"
#include "live/layout.h"

/* Those of sizes are spare; `by` is the metric by which the rows are sorted. */
static void number_column(struct report *report, const struct run_metric *by,
			  const char *metric, const char *id, const char *title,
			  enum column_type type)
{
	report_column(report, id, title, type);
	if (type == COLUMN_BYTES)
		report_spare(report);
	if (by && !strcmp(by->name, metric))
		report_key(report);
}

static void number_columns(struct report *report, const struct run_metric *by)
{
	number_column(report, by, "mpi.calls", "calls", "calls", COLUMN_COUNT);
	number_column(report, by, "mpi.time", "seconds", "time",
		      COLUMN_SECONDS);
	report_column(report, NULL, "share", COLUMN_SHARE);
	number_column(report, by, "mpi.bytes.sent", "bytes_sent", "sent",
		      COLUMN_BYTES);
	number_column(report, by, "mpi.bytes.received", "bytes_received",
		      "received", COLUMN_BYTES);
	report_column(report, "mean_size", "mean size", COLUMN_BYTES);
	report_spare(report);
	report_column(report, "shortest", NULL, COLUMN_SECONDS);
	number_column(report, by, "mpi.time.max", "longest", "longest",
		      COLUMN_SECONDS);
	report_spare(report);
}

static void site_numbers(struct report *report, const struct call_site *site,
			 const struct call_site *total)
{
	value_cell(report, UNIT_COUNT, site->calls);
	value_cell(report, UNIT_NS, site->seconds);
	report_number(report, value_ratio(site->seconds, total->seconds));
	value_cell(report, UNIT_BYTES, site->sent);
	value_cell(report, UNIT_BYTES, site->received);
	value_cell(report, UNIT_BYTES, callsite_mean_size(site));
	value_if_known(report, site->min);
	value_if_known(report, site->max);
}

static void comm_cells(struct report *report, const struct run *run,
		       const struct call_site *site)
{
	char *text = callsite_comm_text(run, site->comm);

	report_text(report, text);
	free(text);
	value_count(report, site->comm < RUN_SEVERAL_COMMS
				    ? run->calls.comms[site->comm].size
				    : NO_VALUE);
	value_count(report, site->root >= 0 ? site->root : NO_VALUE);
}

static void call_site_row(struct report *report, const struct paths *paths,
			  const struct call_site *site)
{
	const struct run *run = paths->run;
	const struct path *p = &paths->at[site->path];
	const struct run_node *n = &run->nodes[p->node];
	char *text = paths_text(paths, site->path);
	char *place = paths_place(run, n->file, n->line);

	report_text(report, str_at(&run->strings, n->function));
	report_text(report, text);
	report->failed |= !text;
	report_text(report, str_at(&run->strings, n->file));
	value_count(report, n->line ? n->line : NO_VALUE);
	report_text(report, place);
	free(place);
	free(text);
}

/* What was begun and completed later, and how much of that was overlapped. */
static void requests_table(struct report *report, const struct paths *paths,
			   const struct call_sites *sites,
			   const struct analysis_options *options)
{
	size_t left = analysis_limit(options, 20, sites->count);

	if (sites->total.requests <= 0)
		return;
	report_table(report, "requests", "requests, where they were begun");
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "requests", "requests", COLUMN_COUNT);
	report_column(report, "open", "open", COLUMN_SECONDS);
	report_column(report, "overlap", "outside MPI", COLUMN_SECONDS);
	report_column(report, "share", "share", COLUMN_SHARE);
	for (size_t i = 0; i < sites->count && left; i++) {
		const struct call_site *s = &sites->at[i];

		if (s->requests <= 0)
			continue;
		left--;
		paths_cell(report, paths, s->path);
		value_cell(report, UNIT_COUNT, s->requests);
		report_number(report, s->open);
		report_number(report, s->overlap);
		report_number(report, value_ratio(s->overlap, s->open));
	}
}

/* Bytes over the time inside the calls, of all ranks. */
static void files_table(struct report *report, const struct paths *paths,
			const struct call_sites *sites)
{
	bool begun = false;

	for (size_t i = 0; i < sites->count; i++) {
		const struct call_site *s = &sites->at[i];
		double bytes = s->sent + s->received;

		if (s->class != LIVE_MPI_IO || bytes <= 0)
			continue;
		if (!begun) {
			begun = true;
			report_table(report, "files", "MPI-IO");
			report_column(report, "call_path", "call path",
				      COLUMN_TEXT);
			report_column(report, "written", "written",
				      COLUMN_BYTES);
			report_column(report, "read", "read", COLUMN_BYTES);
			report_column(report, "seconds", "time",
				      COLUMN_SECONDS);
			report_column(report, "bandwidth", "per second",
				      COLUMN_BYTES);
		}
		paths_cell(report, paths, s->path);
		value_cell(report, UNIT_BYTES, s->sent);
		value_cell(report, UNIT_BYTES, s->received);
		report_number(report, s->seconds);
		value_cell(report, UNIT_BYTES, value_ratio(bytes, s->seconds));
	}
}

static int site_table(struct report *report, const struct paths *paths,
		      const struct run_metric *by,
		      const struct analysis_options *options)
{
	struct call_sites sites;
	size_t limit;
	int err = callsites_init(&sites, paths, by, false);

	if (err)
		return err;
	report_table(report, "sites", "call sites");
	report_column(report, "function", NULL, COLUMN_TEXT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "file", NULL, COLUMN_LEFT_TEXT);
	report_column(report, "line", NULL, COLUMN_COUNT);
	report_column(report, NULL, "called at", COLUMN_LEFT_TEXT);
	number_columns(report, by);
	report_column(report, "communicator", "communicator", COLUMN_TEXT);
	report_spare(report);
	report_column(report, "communicator_size", NULL, COLUMN_COUNT);
	report_column(report, "root", NULL, COLUMN_COUNT);
	limit = analysis_limit(options, 20, sites.count);
	for (size_t i = 0; i < limit; i++) {
		call_site_row(report, paths, &sites.at[i]);
		site_numbers(report, &sites.at[i], &sites.total);
		comm_cells(report, paths->run, &sites.at[i]);
	}
	requests_table(report, paths, &sites, options);
	files_table(report, paths, &sites);
	if (!sites.count)
		report_line(report,
			    "No MPI calls were seen. If the program made some: "
			    "was it run with --mpi=off, is its MPI linked "
			    "statically, or one that copse has no wrappers for "
			    "(copse check)?");
	callsites_fini(&sites);
	return 0;
}

static int mpi_function_table(struct report *report, const struct paths *paths,
			      const struct run_metric *by,
			      const struct analysis_options *options)
{
	struct call_sites sites;
	size_t limit;
	int err = callsites_init(&sites, paths, by, true);

	if (err)
		return err;
	report_table(report, "functions", "functions");
	report_column(report, "function", "function", COLUMN_TEXT);
	number_columns(report, by);
	limit = analysis_limit(options, 20, sites.count);
	for (size_t i = 0; i < limit; i++) {
		report_text(report,
			    str_at(&paths->run->strings, sites.at[i].function));
		site_numbers(report, &sites.at[i], &sites.total);
	}
	callsites_fini(&sites);
	return 0;
}

ORDER_BY(by_mpi_function, struct run_size, ASC(node) ?: ASC(class))

/* By function: here `node` of a size is the string that names it. */
static size_t sizes_by_function(const struct run *run, struct run_size *to)
{
	const struct run_calls *c = &run->calls;
	size_t count = 0;

	for (size_t i = 0; i < c->size_count; i++) {
		to[i] = c->sizes[i];
		to[i].node = run->nodes[to[i].node].function;
	}
	if (c->size_count)
		qsort(to, c->size_count, sizeof(*to), by_mpi_function);
	for (size_t i = 0; i < c->size_count; i++) {
		if (!count || by_mpi_function(&to[count - 1], &to[i])) {
			to[count++] = to[i];
			continue;
		}
		to[count - 1].calls += to[i].calls;
		to[count - 1].ns += to[i].ns;
	}
	return count;
}

static int size_table(struct report *report, const struct run *run,
		      const struct analysis_options *options)
{
	struct run_size *sizes =
		calloc(run->calls.size_count + 1, sizeof(*sizes));
	size_t count;

	if (!sizes)
		return no_memory();
	count = sizes_by_function(run, sizes);
	if (count) {
		report_table(report, "sizes", "sizes");
		report_column(report, "function", "function", COLUMN_TEXT);
		report_column(report, "from", "bytes, from", COLUMN_BYTES);
		report_column(report, "below", "below", COLUMN_BYTES);
		report_column(report, "calls", "calls", COLUMN_COUNT);
		report_column(report, "seconds", "time", COLUMN_SECONDS);
	}
	for (size_t i = 0; i < analysis_limit(options, 40, count); i++) {
		uint32_t class = sizes[i].class;

		report_text(report, str_at(&run->strings, sizes[i].node));
		report_count(report, run_size_least(class));
		report_count(report, run_size_least(class + 1));
		report_count(report, sizes[i].calls);
		report_number(report, (double)sizes[i].ns / 1e9);
	}
	free(sizes);
	return 0;
}

static void comm_table(struct report *report, const struct run *run,
		       const struct analysis_options *options)
{
	const struct run_calls *c = &run->calls;
	size_t limit = analysis_limit(options, 20, c->comm_count);

	if (!c->comm_count)
		return;
	report_table(report, "communicators", "communicators");
	report_column(report, "communicator", "communicator", COLUMN_TEXT);
	report_column(report, "size", "ranks", COLUMN_COUNT);
	report_column(report, "first", "first", COLUMN_COUNT);
	report_column(report, "inter", NULL, COLUMN_COUNT);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "collective", "collective", COLUMN_COUNT);
	report_column(report, "seen", NULL, COLUMN_COUNT);
	for (uint32_t i = 0; i < limit; i++) {
		char *text = callsite_comm_text(run, i);

		report_text(report, text);
		report->failed |= !text;
		report_count(report, c->comms[i].size);
		report_count(report, c->comms[i].first);
		report_count(report, c->comms[i].inter);
		report_count(report, c->comms[i].calls);
		report_count(report, c->comms[i].instances);
		report_count(report, c->comms[i].seen);
		free(text);
	}
}

static int run_mpi_calls(struct report **to, const struct run *const runs[],
			 const struct analysis_options *options)
{
	const struct run_metric *by;
	struct paths paths;
	int err = analysis_one_run(runs, "mpi-calls");

	if (err)
		return err;
	by = run_metric(runs[0],
			options->metric ? options->metric : "mpi.time");
	if (options->metric && !by)
		by = analysis_metric(runs[0], options, NULL);
	if (options->metric && !by)
		return -EINVAL;
	err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	*to = analysis_report("mpi-calls", runs[0], by);
	err = *to ? site_table(*to, &paths, by, options) : -ENOMEM;
	if (!err)
		err = mpi_function_table(*to, &paths, by, options);
	if (!err)
		err = size_table(*to, runs[0], options);
	if (!err)
		comm_table(*to, runs[0], options);
	if (!err)
		measuring_untimed(*to, runs[0]);
	if (!err)
		err = report_error(*to);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_mpi_calls = {
	.name = "mpi-calls",
	.help = "MPI calls by call site, function, size and communicator",
	.takes = ANALYSIS_METRIC,
	.run = run_mpi_calls,
};
