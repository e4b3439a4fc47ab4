/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-calls.c - MPI calls by call site and by function. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/paths.h"
#include "analyse/sites.h"
#include "analyse/value.h"
#include "base/err.h"

static void number_columns(struct report *report)
{
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, NULL, "share", COLUMN_SHARE);
	report_column(report, "bytes_sent", "sent", COLUMN_BYTES);
	report_column(report, "bytes_received", "received", COLUMN_BYTES);
	report_column(report, "mean_size", "mean size", COLUMN_BYTES);
}

static void numbers(struct report *report, const struct site *site,
		    const struct site *total)
{
	value_cell(report, UNIT_COUNT, site->calls);
	value_cell(report, UNIT_NS, site->seconds);
	report_number(report, value_ratio(site->seconds, total->seconds));
	value_cell(report, UNIT_BYTES, site->sent);
	value_cell(report, UNIT_BYTES, site->received);
	value_cell(report, UNIT_BYTES, site_mean_size(site));
}

static void site_row(struct report *report, const struct paths *paths,
		     const struct site *site)
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
	if (n->line)
		report_count(report, n->line);
	else
		report_none(report);
	report_text(report, place);
	free(place);
	free(text);
}

static int site_table(struct report *report, const struct paths *paths,
		      const struct run_metric *by,
		      const struct analysis_options *options)
{
	struct sites sites;
	size_t limit;
	int err = sites_init(&sites, paths, by, false);

	if (err)
		return err;
	report_table(report, "sites", "call sites");
	report_column(report, "function", NULL, COLUMN_TEXT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "file", NULL, COLUMN_LEFT_TEXT);
	report_column(report, "line", NULL, COLUMN_COUNT);
	report_column(report, NULL, "called at", COLUMN_LEFT_TEXT);
	number_columns(report);
	limit = value_limit(options, 20, sites.count);
	for (size_t i = 0; i < limit; i++) {
		site_row(report, paths, &sites.at[i]);
		numbers(report, &sites.at[i], &sites.total);
	}
	if (!sites.count)
		report_line(report, "No MPI calls were seen.");
	sites_fini(&sites);
	return 0;
}

static int function_table(struct report *report, const struct paths *paths,
			  const struct run_metric *by,
			  const struct analysis_options *options)
{
	struct sites sites;
	size_t limit;
	int err = sites_init(&sites, paths, by, true);

	if (err)
		return err;
	report_table(report, "functions", "functions");
	report_column(report, "function", "function", COLUMN_TEXT);
	number_columns(report);
	limit = value_limit(options, 20, sites.count);
	for (size_t i = 0; i < limit; i++) {
		report_text(report,
			    str_at(&paths->run->strings, sites.at[i].function));
		numbers(report, &sites.at[i], &sites.total);
	}
	sites_fini(&sites);
	return 0;
}

static int run_mpi_calls(struct report **to, const struct run *const runs[],
			 const struct analysis_options *options)
{
	const struct run_metric *by;
	struct paths paths;
	int err = value_one_run(runs, "mpi-calls");

	if (err)
		return err;
	by = options->metric ? value_metric(runs[0], options, "mpi.time")
			     : run_metric(runs[0], "mpi.time");
	if (options->metric && !by)
		return -EINVAL;
	err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	*to = value_report("mpi-calls", runs[0], by);
	err = *to ? site_table(*to, &paths, by, options) : -ENOMEM;
	if (!err)
		err = function_table(*to, &paths, by, options);
	if (!err)
		err = report_error(*to);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_mpi_calls = {
	.name = "mpi-calls",
	.help = "MPI calls by call site and by function",
	.run = run_mpi_calls,
};
