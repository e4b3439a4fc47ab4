/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c - what each rank did with its time, and which ranks stand out. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/base/outlier.h"
#include "analyse/ranks/path-imbalance.h"
#include "analyse/base/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "run/values.h"

#define WORTHWHILE 0.02 /* of the elapsed time: so much is worth a mark */
#define TINY       1e-12
#define FILES      0.01 /* of it: so much is worth a column */
#define ROWS       24
#define HOSTS      8

/* The parts of the elapsed time, in order; their sum is all of it. */
enum time_part {
	COMPUTE,
	MPI_WAIT,
	MPI_TRANSFER,
	MPI_ALL, /* both, where they are not distinguished */
	IO,
	OTHER,
	PARTS
};

static const struct {
	const char *id, *title;
} parts[PARTS] = {
	[COMPUTE] = { "compute", "compute" },
	[MPI_WAIT] = { "mpi_wait", "MPI wait" },
	[MPI_TRANSFER] = { "mpi_transfer", "MPI transfer" },
	[MPI_ALL] = { "mpi", "MPI" },
	[IO] = { "io", "MPI files" },
	[OTHER] = { "other", "other" },
};

struct ranks {
	const struct run *run;
	struct skews skews; /* which processes are compared, and call paths */
	struct shapes shapes;
	double *values[PARTS]; /* of each process that is compared; NAN */
	double *elapsed, *files, *row;
	struct outliers rules[PARTS];
	size_t least[PARTS], most[PARTS]; /* who has it */
	bool shown[PARTS];
	double longest; /* elapsed time of one */
};

static bool is_share_known(const struct ranks *r, enum time_part part)
{
	return r->skews.process_count && !isnan(r->values[part][0]);
}

static void take_rank_time(struct ranks *r, size_t i,
			   const struct mpi_time *mpi)
{
	const struct run_rank *rank = &r->run->ranks[r->skews.processes[i]];
	double elapsed = (double)rank->elapsed_ns / 1e9;
	double paused = (double)rank->paused_ns / 1e9;
	double inside = rank->mpi_ns          ? (double)rank->mpi_ns / 1e9
			: run_has_mpi(r->run) ? 0
					      : elapsed - paused;
	bool split = !isnan(mpi->waiting);

	/* A process that was cut may not know its end to the last sample. */
	elapsed = fmax(elapsed, inside);
	r->elapsed[i] = elapsed;
	r->longest = fmax(r->longest, elapsed);
	r->values[COMPUTE][i] = fmax(inside - mpi->total, 0);
	r->values[MPI_WAIT][i] = mpi->waiting;
	r->values[MPI_TRANSFER][i] = mpi_time_transfer(mpi);
	r->values[MPI_ALL][i] = split ? NAN : mpi->total - mpi->io;
	r->values[IO][i] = mpi->io;
	r->values[OTHER][i] = elapsed - inside;
}

/* The nodes' values, from … end - 1. */
static int add_files(const struct run *run, const struct run_metric *m,
		     uint32_t from, uint32_t end, struct value_buffer *buffer,
		     uint64_t *sums)
{
	int err = 0;

	for (uint32_t n = from; n < end && !err; n++)
		err = values_add_up(run, m, n, buffer, sums);
	return err;
}

static int take_files(struct ranks *r, const struct run_metric *m)
{
	const struct run *run = r->run;
	uint64_t *sums = calloc(run->rank_count + 1, sizeof(*sums));
	struct value_buffer buffer = { 0 };
	int err = sums ? 0 : no_memory();
	uint32_t end = 0;

	for (uint32_t n = 1; n < run->node_count && !err; n++) {
		if (n < end)
			continue;
		if (run->nodes[n].kind == RUN_MPI)
			end = run_subtree_end(run, n); /* is counted as MPI */
		if (!paths_is_file(run, n))
			continue;
		end = run_subtree_end(run, n);
		err = add_files(run, m, n, end, &buffer, sums);
	}
	for (size_t i = 0; i < r->skews.process_count && !err; i++)
		r->files[i] = (double)sums[r->skews.processes[i]] / 1e9;
	value_buffer_fini(&buffer);
	free(sums);
	return err;
}

static int find_rank_extremes(struct ranks *r)
{
	size_t count = r->skews.process_count;
	int err = 0;

	for (int p = 0; p < PARTS && !err; p++) {
		for (size_t i = 1; i < count; i++) {
			if (r->values[p][i] < r->values[p][r->least[p]])
				r->least[p] = i;
			if (r->values[p][i] > r->values[p][r->most[p]])
				r->most[p] = i;
		}
		r->shown[p] =
			is_share_known(r, p) && r->values[p][r->most[p]] > 0;
		if (r->shown[p])
			err = outlier_rule(&r->rules[p], r->values[p], count,
					   WORTHWHILE * r->longest);
	}
	return err;
}

static void ranks_fini(struct ranks *r)
{
	for (int p = 0; p < PARTS; p++)
		free(r->values[p]);
	free(r->elapsed);
	free(r->files);
	free(r->row);
	distributions_fini(&r->shapes);
	imbalance_fini(&r->skews);
}

static bool ranks_allocate(struct ranks *r, size_t count)
{
	bool ok = true;

	for (int p = 0; p < PARTS; p++) {
		r->values[p] = calloc(count + 1, sizeof(double));
		ok &= r->values[p] != NULL;
	}
	r->elapsed = calloc(count + 1, sizeof(double));
	r->files = calloc(count + 1, sizeof(double));
	r->row = calloc(count + 1, sizeof(double));
	return ok && r->elapsed && r->files && r->row;
}

static int ranks_init(struct ranks *r, const struct paths *paths,
		      const struct run_metric *metric)
{
	const struct run *run = paths->run;
	struct mpi_time *mpi = NULL;
	int err = imbalance_init(&r->skews, paths, metric);

	r->run = run;
	if (err)
		return err;
	mpi = mpi_times(run, 0);
	if (!mpi || !ranks_allocate(r, r->skews.process_count)) {
		free(mpi);
		return no_memory();
	}
	for (size_t i = 0; i < r->skews.process_count; i++)
		take_rank_time(r, i, &mpi[r->skews.processes[i]]);
	free(mpi);
	if (metric->unit == UNIT_NS)
		err = take_files(r, metric);
	if (err)
		return err;
	err = distributions_init(&r->shapes, run, r->skews.processes,
				 r->skews.process_count,
				 WORTHWHILE * r->longest);
	return err ? err : find_rank_extremes(r);
}

/* One row for each part: extremes, shape and a strip over the ranks. */
static void time_strip_row(struct report *report, struct ranks *r,
			   enum time_part part)
{
	const double *values = r->values[part];
	size_t count = r->skews.process_count;
	size_t least = r->least[part], most = r->most[part];
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		r->row[i] = value_ratio(values[i], r->longest);
	}
	report_text(report, parts[part].title);
	report_number(report, values[least]);
	report_number(report, sum / (double)count);
	report_number(report, values[most]);
	report_count(report,
		     processes_number(r->run, r->skews.processes[most]));
	imbalance_table_shape(report, &r->shapes, values);
	report_spark(report, r->row, count);
}

static void part_strips(struct report *report, struct ranks *r)
{
	bool mpi = r->run->world;

	report_table(report, "parts",
		     mpi ? "parts of the elapsed time" : "elapsed time");
	report_column(report, "part", "part", COLUMN_TEXT);
	report_column(report, "min", "least", COLUMN_SECONDS);
	report_column(report, "mean", "mean", COLUMN_SECONDS);
	report_column(report, "max", "most", COLUMN_SECONDS);
	report_column(report, "max_rank", mpi ? "on rank" : "in process",
		      COLUMN_COUNT);
	report_column(report, "shape", NULL, COLUMN_TEXT);
	report_column(report, NULL, "shape", COLUMN_TEXT);
	report_column(report, NULL, mpi ? "over ranks" : "over processes",
		      COLUMN_HEAT);
	for (int p = 0; p < PARTS; p++)
		if (r->shown[p])
			time_strip_row(report, r, p);
}

static const struct run_rank *compared_rank(const struct ranks *r, size_t i)
{
	return &r->run->ranks[r->skews.processes[i]];
}

static void time_share_columns(struct report *report, const struct ranks *r)
{
	bool mpi = r->run->world, files = false, gil = false, role = false;

	for (size_t i = 0; i < r->skews.process_count; i++) {
		files |= r->files[i] > FILES * r->longest;
		gil |= compared_rank(r, i)->gil_wait_ns > 0;
		role |= compared_rank(r, i)->role != 0;
	}
	report_table(report, "ranks", mpi ? "ranks" : "processes");
	report_column(report, "rank", mpi ? "rank" : NULL, COLUMN_COUNT);
	report_column(report, "pid", mpi ? NULL : "process", COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "role", role ? "role" : NULL, COLUMN_TEXT);
	report_column(report, "elapsed", "elapsed", COLUMN_SECONDS);
	for (int p = 0; p < PARTS; p++)
		report_column(report, parts[p].id,
			      r->shown[p] ? parts[p].title : NULL,
			      COLUMN_SECONDS);
	report_column(report, "files", files ? "files" : NULL, COLUMN_SECONDS);
	report_column(report, "gil_held", gil ? "GIL held" : NULL,
		      COLUMN_SECONDS);
	report_column(report, "gil_wait", gil ? "GIL wait" : NULL,
		      COLUMN_SECONDS);
	report_column(report, "outlier", "outlier", COLUMN_TEXT);
}

/* "compute high, MPI low"; to be freed, NULL when out of memory. */
static char *outlier_marks(const struct ranks *r, size_t i)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const char *between = "";

	if (!to)
		return NULL;
	for (int p = 0; p < PARTS; p++) {
		int mark = r->shown[p]
				   ? outlier_is(&r->rules[p], r->values[p][i])
				   : 0;

		if (!mark)
			continue;
		fprintf(to, "%s%s %s", between, parts[p].title,
			mark > 0 ? "high" : "low");
		between = ", ";
	}
	fclose(to);
	return text;
}

static void time_share_row(struct report *report, const struct ranks *r,
			   size_t i)
{
	const struct run_rank *rank = compared_rank(r, i);
	char *text = outlier_marks(r, i);

	value_count(report, rank->rank >= 0 ? rank->rank : NO_VALUE);
	report_count(report, rank->pid);
	report_text(report, str_at(&r->run->strings, rank->host));
	report_text(report,
		    rank->role ? str_at(&r->run->strings, rank->role) : NULL);
	report_number(report, r->elapsed[i]);
	for (int p = 0; p < PARTS; p++)
		value_known(report, r->values[p][i]);
	report_number(report, r->files[i]);
	report_number(report, (double)rank->gil_held_ns / 1e9);
	report_number(report, (double)rank->gil_wait_ns / 1e9);
	report_text(report, text);
	report->failed |= !text;
	free(text);
}

/*
 * How much a rank has to say to readers: outliers how far they are from the
 * median, and the extremes of each part a little.
 */
static double outlier_distance(const struct ranks *r, size_t i)
{
	double most = 0;

	for (int p = 0; p < PARTS; p++) {
		double value = r->values[p][i];

		if (!r->shown[p])
			continue;
		if (outlier_is(&r->rules[p], value))
			most = fmax(most, fabs(value - r->rules[p].median));
		else if (r->least[p] != r->most[p] &&
			 (i == r->least[p] || i == r->most[p]))
			most = fmax(most, TINY);
	}
	return most;
}

ORDER_BY(by_rank_value, double, ORDER(*b, *a))

/* What a row has to reach to be among the first `limit`; values are sorted. */
static double least_shown(double *values, size_t count, size_t limit)
{
	if (limit >= count)
		return 0;
	qsort(values, count, sizeof(*values), by_rank_value);
	return limit ? fmax(values[limit - 1], TINY) : INFINITY;
}

/* All ranks, or those that stand out. */
static void time_share_table(struct report *report, struct ranks *r,
			     const struct analysis_options *options)
{
	size_t count = r->skews.process_count, rows = 0;
	size_t limit = analysis_limit(options, ROWS, count);
	double least;

	time_share_columns(report, r);
	for (size_t i = 0; i < count; i++)
		r->row[i] = outlier_distance(r, i);
	least = least_shown(r->row, count, limit);
	for (size_t i = 0; i < count && rows < limit; i++)
		if (outlier_distance(r, i) >= least) {
			time_share_row(report, r, i);
			rows++;
		}
	if (rows < count)
		report_note(report,
			    "Of %zu ranks %zu are listed: outliers, the "
			    "furthest first, and extremes; -n 0 lists all.",
			    count, rows);
}

struct host {
	size_t first, ranks; /* its first process */
	double mean[PARTS], compute_max;
};

/* To be freed; NULL when out of memory. */
static struct host *hosts_of(const struct ranks *r)
{
	const struct shapes *s = &r->shapes;
	struct host *hosts = calloc(s->hosts + 1, sizeof(*hosts));

	for (size_t i = 0; hosts && i < s->count; i++) {
		struct host *h = &hosts[s->host[i]];

		h->first = h->ranks++ ? h->first : i;
		h->compute_max = fmax(h->compute_max, r->values[COMPUTE][i]);
		for (int p = 0; p < PARTS; p++)
			h->mean[p] += r->values[p][i];
	}
	for (size_t i = 0; hosts && i < s->hosts; i++)
		for (int p = 0; p < PARTS; p++)
			hosts[i].mean[p] /= (double)hosts[i].ranks;
	return hosts;
}

static void host_row(struct report *report, const struct ranks *r,
		     const struct host *host)
{
	uint32_t process = r->skews.processes[host->first];

	report_text(report,
		    str_at(&r->run->strings, r->run->ranks[process].host));
	report_count(report, host->ranks);
	for (int p = 0; p < PARTS; p++)
		value_known(report, host->mean[p]);
	report_number(report, host->compute_max);
}

/* Readers get it when there is more than one. */
static void host_columns(struct report *report, const struct ranks *r)
{
	bool many = r->shapes.hosts > 1;

	report_table(report, "hosts", "hosts, mean of each");
	report_column(report, "host", many ? "host" : NULL, COLUMN_TEXT);
	report_column(report, "ranks", many ? "ranks" : NULL, COLUMN_COUNT);
	for (int p = 0; p < PARTS; p++)
		report_column(report, parts[p].id,
			      many && r->shown[p] ? parts[p].title : NULL,
			      COLUMN_SECONDS);
	report_column(report, "compute_max", many ? "most compute" : NULL,
		      COLUMN_SECONDS);
}

/* All hosts, or those whose mean is furthest from the ranks' median. */
static void host_table(struct report *report, struct ranks *r,
		       const struct analysis_options *options)
{
	struct host *hosts = hosts_of(r);
	size_t count = r->shapes.hosts, rows = 0;
	size_t limit = analysis_limit(options, HOSTS, count);
	double median = r->rules[COMPUTE].median, least;

	host_columns(report, r);
	for (size_t i = 0; hosts && i < count; i++)
		r->row[i] = fabs(hosts[i].mean[COMPUTE] - median);
	least = least_shown(r->row, count, limit);
	for (size_t i = 0; hosts && i < count && rows < limit; i++)
		if (fabs(hosts[i].mean[COMPUTE] - median) >= least) {
			host_row(report, r, &hosts[i]);
			rows++;
		}
	if (rows < count)
		report_note(report,
			    "Of %zu hosts %zu are listed: those whose compute "
			    "differs most.",
			    count, rows);
	report->failed |= !hosts;
	free(hosts);
}

static size_t outlier_count(const struct ranks *r, uint32_t *picked)
{
	size_t count = 0;

	for (size_t i = 0; i < r->skews.process_count; i++) {
		bool is = false;

		for (int p = 0; p < PARTS; p++)
			is |= r->shown[p] &&
			      outlier_is(&r->rules[p], r->values[p][i]);
		if (is)
			picked[count++] = r->skews.processes[i];
	}
	return count;
}

static void say_ranks(struct report *report, const struct ranks *r,
		      const struct run_metric *metric)
{
	size_t count = r->skews.process_count, outliers = 0;
	uint32_t *picked = calloc(count + 1, sizeof(*picked));
	char *list = NULL;
	char noun[32];

	if (picked) {
		outliers = outlier_count(r, picked);
		list = processes_list(r->run, picked, outliers);
	}
	report->failed |= !list;
	if (list && outliers)
		report_line(report, "• %s: %s%s %s.",
			    phrase_plural(noun, outliers, "outlier"),
			    processes_noun(r->run),
			    outliers == 1   ? ""
			    : r->run->world ? "s"
					    : "es",
			    list);
	else if (list && count > 2)
		report_line(report, "No outliers.");
	if (count > 2)
		report_note(report,
			    "An outlier is further from the median than 3.5 "
			    "median deviations x 1.4826 and %.0f %% of the "
			    "elapsed time.",
			    100 * WORTHWHILE);
	if (!run_has_mpi(r->run))
		report_note(report,
			    "Without MPI, compute is all time but pauses, also "
			    "that of sleep and waiting; CPU time is in copse "
			    "report imbalance.");
	if (metric->unit == UNIT_NS)
		report_note(
			report,
			"Reading and writing outside MPI is known from samples "
			"alone (files): %s of all threads in the C library's "
			"functions for it, part of compute and other.",
			metric->name);
	free(picked);
	free(list);
}

static int fill_ranks(struct report *report, struct ranks *r,
		      const struct analysis_options *options)
{
	static const struct imbalance_table how = {
		.title = "call paths outside MPI, the most to save first",
		.rows = 5,
		.outside = true,
	};
	int err;

	jobs_findings(report, r->run);
	say_ranks(report, r, r->skews.metric);
	time_share_table(report, r, options);
	part_strips(report, r);
	host_table(report, r, options);
	err = imbalance_table(report, &r->skews, &how, options);
	return err;
}

/* Ranks that did nothing but wait may have no sample. */
static const struct run_metric *
time_metric(const struct run *run, const struct analysis_options *options)
{
	const struct run_metric *m = analysis_metric(run, options, NULL);

	return m || options->metric ? m : run_metric(run, "mpi.time");
}

static int run_ranks(struct report **to, const struct run *const runs[],
		     const struct analysis_options *options)
{
	const struct run_metric *metric;
	struct paths paths = { 0 };
	struct ranks r = { 0 };
	int err = analysis_one_run(runs, "ranks");

	if (err)
		return err;
	metric = time_metric(runs[0], options);
	if (!metric)
		return -EINVAL;
	err = paths_init(&paths, runs[0]);
	if (!err)
		err = ranks_init(&r, &paths, metric);
	if (!err)
		*to = analysis_report("ranks", runs[0], NULL);
	if (!err)
		err = *to ? fill_ranks(*to, &r, options) : -ENOMEM;
	if (!err) {
		idle_threads_say(*to, runs, metric->name);
		err = report_error(*to);
	}
	ranks_fini(&r);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_ranks = {
	.name = "ranks",
	.help = "what each rank did with its time, outliers, shapes, hosts",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE,
	.run = run_ranks,
};
