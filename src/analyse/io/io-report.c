/* SPDX-License-Identifier: BSD-3-Clause */
/* io-report.c - what was read and written: where, by whom, to which files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/io/io-bandwidth.h"
#include "analyse/io/io-coverage.h"
#include "analyse/io/io-sites.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/file-system.h"
#include "base/str.h"
#include "live/layout.h"

enum {
	IO_ROWS = 20,
	IO_FRAMES = 3
};

#define UNEVEN 2.0 /* times the mean of all ranks */

static double rank_seconds(const struct run *run)
{
	double sum = 0;

	for (size_t r = 0; r < run->member_count; r++)
		sum += (double)run->ranks[r].elapsed_ns / 1e9;
	return sum;
}

/* " at 310 MiB/s", while it was read or written. */
static const char *rate_text(char to[64], double bytes, double seconds)
{
	char text[32];

	*to = 0;
	if (bytes > 0 && seconds > 0)
		snprintf(to, 64, " at %s/s",
			 phrase_bytes(text, bytes / seconds));
	return to;
}

struct io_seconds {
	double read, write; /* seconds */
};

static struct io_seconds times_of(const struct io_sites *s)
{
	struct io_seconds t = { 0 };

	for (size_t i = 0; i < s->count; i++) {
		const struct io_sums *sums = &s->at[i].sums;

		if (sums->read > 0 && sums->written <= 0)
			t.read += sums->seconds;
		else if (sums->written > 0)
			t.write += sums->seconds;
	}
	return t;
}

static void say_total(struct report *report, const struct io_sites *s)
{
	const struct run *run = s->paths->run;
	double all = rank_seconds(run);
	struct io_seconds t = times_of(s);
	char time[32], calls[32], written[32], read[32], to[64], from[64];
	char members[32];

	report_line(
		report,
		"Files: %s in %s, %.1f %% of the time of %s; %s written%s, "
		"%s read%s.",
		phrase_time(time, s->total.seconds),
		phrase_many(calls, s->total.calls, "call"),
		100 * value_ratio(s->total.seconds, all),
		phrase_plural(members, run->member_count, processes_noun(run)),
		phrase_bytes(written, s->total.written),
		rate_text(to, s->total.written, t.write),
		phrase_bytes(read, s->total.read),
		rate_text(from, s->total.read, t.read));
}

static int say_path(struct report *report, const struct io_sites *s)
{
	const struct io_site *most = &s->at[0];
	char *path = paths_short(s->paths, most->path, IO_FRAMES);
	char time[32], each[32];

	if (!path)
		return no_memory();
	report_line(report, "• %.0f %% of it, %s, in %s: %s a call.",
		    100 * value_ratio(most->sums.seconds, s->total.seconds),
		    phrase_time(time, most->sums.seconds), path,
		    phrase_time(each, value_ratio(most->sums.seconds,
						  most->sums.calls)));
	free(path);
	return 0;
}

/* " (NFS)" */
static const char *system_text(char to[40], const struct run_file *f)
{
	const char *name = file_system_name(f->system);

	*to = 0;
	if (name)
		snprintf(to, 40, " (%s)", name);
	return to;
}

static const struct run_file *longest_file(const struct run *run)
{
	for (size_t i = 0; i < run->io.file_count; i++)
		if (io_file_is_one(&run->io.files[i]))
			return &run->io.files[i];
	return NULL;
}

static void say_file(struct report *report, const struct run *run)
{
	const struct run_file *f = longest_file(run);
	char system[40], time[32], users[32], written[32], read[32];

	if (!f)
		return;
	report_line(report,
		    "• The file that took longest is %s%s: %s, by %s; %s "
		    "written, %s read.",
		    str_at(&run->strings, f->path), system_text(system, f),
		    phrase_time(time, io_file_seconds(f)),
		    phrase_plural(users, f->processes, processes_noun(run)),
		    phrase_bytes(written, (double)f->written_bytes),
		    phrase_bytes(read, (double)f->read_bytes));
}

static size_t rank_with_most(const struct io_sites *s)
{
	const struct run *run = s->paths->run;
	size_t most = 0;

	for (size_t r = 1; r < run->member_count; r++)
		if (s->ranks[r].read + s->ranks[r].written >
		    s->ranks[most].read + s->ranks[most].written)
			most = r;
	return most;
}

static void say_most_bytes(struct report *report, const struct io_sites *s)
{
	const struct run *run = s->paths->run;
	size_t most = rank_with_most(s);
	double bytes = s->ranks[most].read + s->ranks[most].written;
	double share = value_ratio(bytes, s->total.read + s->total.written);
	char text[32], time[32];

	if (run->member_count < 2 ||
	    share < UNEVEN / (double)run->member_count || share < 0.25)
		return;
	report_line(report,
		    "• %s %llu of %zu reads and writes %.0f %% of all bytes: "
		    "%s in %s.",
		    run_has_mpi(run) ? "Rank" : "Process",
		    (unsigned long long)processes_number(run, most),
		    run->member_count, 100 * share, phrase_bytes(text, bytes),
		    phrase_time(time, s->ranks[most].seconds));
}

static void sum_columns(struct report *report)
{
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "read", "read", COLUMN_BYTES);
	report_column(report, "written", "written", COLUMN_BYTES);
	report_column(report, "other_calls", NULL, COLUMN_COUNT);
	report_column(report, "other_seconds", NULL, COLUMN_SECONDS);
}

static void sum_cells(struct report *report, const struct io_sums *sums,
		      const struct io_sums *total)
{
	value_count(report, sums->calls);
	report_number(report, sums->seconds);
	report_number(report, value_ratio(sums->seconds, total->seconds));
	value_count(report, sums->read);
	value_count(report, sums->written);
	value_count(report, sums->others);
	report_number(report, sums->other_seconds);
}

static double mean_size(const struct io_sums *sums)
{
	return sums->calls > sums->others ? (sums->read + sums->written) /
						    (sums->calls - sums->others)
					  : NO_VALUE;
}

static void path_table(struct report *report, const struct io_sites *s,
		       const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, IO_ROWS, s->count);

	report_table(report, "paths", "by call path");
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "does", NULL, COLUMN_TEXT);
	sum_columns(report);
	report_column(report, "size", "a call", COLUMN_BYTES);
	report_column(report, "longest", "longest", COLUMN_SECONDS);
	report_spare(report);
	for (size_t i = 0; i < limit; i++) {
		const struct io_site *site = &s->at[i];

		paths_cell(report, s->paths, site->path);
		report_text(report, site->kind < LIVE_IO_KINDS
					    ? io_kind_names[site->kind]
					    : "MPI");
		sum_cells(report, &site->sums, &s->total);
		value_count(report, mean_size(&site->sums));
		value_if_known(report, site->sums.longest);
	}
}

static void file_columns(struct report *report)
{
	report_column(report, "file", "file", COLUMN_LEFT_TEXT);
	report_column(report, "kind", NULL, COLUMN_TEXT);
	report_column(report, "system", "on", COLUMN_TEXT);
	report_spare(report);
	report_column(report, "host", NULL, COLUMN_TEXT);
	report_column(report, "processes", "used by", COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "opens", "opens", COLUMN_COUNT);
	report_column(report, "reads", "reads", COLUMN_COUNT);
	report_column(report, "read", "read", COLUMN_BYTES);
	report_column(report, "writes", "writes", COLUMN_COUNT);
	report_column(report, "written", "written", COLUMN_BYTES);
	report_column(report, "in_order", "in order", COLUMN_SHARE);
	report_spare(report);
	report_column(report, "other_calls", "others", COLUMN_COUNT);
	report_spare(report);
	report_column(report, "read_seconds", NULL, COLUMN_SECONDS);
	report_column(report, "write_seconds", NULL, COLUMN_SECONDS);
	report_column(report, "other_seconds", NULL, COLUMN_SECONDS);
	report_column(report, "syncs", NULL, COLUMN_COUNT);
	report_column(report, "unaligned", NULL, COLUMN_COUNT);
	report_column(report, "switches", NULL, COLUMN_COUNT);
	report_column(report, "extent", NULL, COLUMN_BYTES);
	report_column(report, "readers", NULL, COLUMN_COUNT);
	report_column(report, "writers", NULL, COLUMN_COUNT);
	report_column(report, "slowest", NULL, COLUMN_COUNT);
	report_column(report, "slowest_seconds", NULL, COLUMN_SECONDS);
	report_column(report, "fastest", NULL, COLUMN_COUNT);
	report_column(report, "fastest_seconds", NULL, COLUMN_SECONDS);
}

static const char *const file_kinds[] = { "file", "directory", "others" };

/* Reads and writes that began where one before ended, or behind. */
static double share_in_order(const struct run_file *f)
{
	double all = io_file_reads(f) + io_file_writes(f);
	double ordered = (double)f->read_next + (double)f->read_ahead +
			 (double)f->write_next + (double)f->write_ahead;

	return all > 0 ? ordered / all : NO_VALUE;
}

static void file_name_cells(struct report *report, const struct run *run,
			    const struct run_file *f)
{
	const char *path = str_at(&run->strings, f->path);
	char *folder = f->kind == LIVE_FILE_DIRECTORY
			       ? str_format("%s/", path[1] ? path : "")
			       : NULL;

	report_text(report, f->kind == LIVE_FILE_OTHERS ? "[all others]"
			    : folder                    ? folder
							: path);
	report_text(report, file_kinds[f->kind]);
	report_text(report, file_system_name(f->system));
	report_text(report, str_at(&run->strings, f->host));
	free(folder);
}

static void file_row(struct report *report, const struct run *run,
		     const struct run_file *f)
{
	file_name_cells(report, run, f);
	report_count(report, f->processes);
	report_number(report, io_file_seconds(f));
	report_count(report, f->opens);
	value_count(report, io_file_reads(f));
	report_count(report, f->read_bytes);
	value_count(report, io_file_writes(f));
	report_count(report, f->written_bytes);
	value_known(report, share_in_order(f));
	report_count(report, f->others);
	report_number(report, (double)f->read_ns / 1e9);
	report_number(report, (double)f->write_ns / 1e9);
	report_number(report, (double)f->other_ns / 1e9);
	report_count(report, f->syncs);
	report_count(report, f->unaligned);
	report_count(report, f->switches);
	report_count(report, f->extent);
	report_count(report, f->readers);
	report_count(report, f->writers);
	report_count(report, processes_number(run, f->slowest));
	report_number(report, (double)f->slowest_ns / 1e9);
	report_count(report, processes_number(run, f->fastest));
	report_number(report, (double)f->fastest_ns / 1e9);
}

static void file_table(struct report *report, const struct run *run,
		       const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, IO_ROWS, run->io.file_count);

	report_table(report, "files", run->io.file_count ? "by file" : NULL);
	file_columns(report);
	for (size_t i = 0; i < limit; i++)
		file_row(report, run, &run->io.files[i]);
}

static int by_io_rank(const void *x, const void *y, void *ranks)
{
	const struct io_sums *of = ranks;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return ORDER(of[b].seconds, of[a].seconds) ?: ORDER(a, b);
}

static int rank_table(struct report *report, const struct io_sites *s,
		      const struct analysis_options *options)
{
	const struct run *run = s->paths->run;
	uint32_t *order = calloc(run->rank_count + 1, sizeof(*order));
	size_t limit = analysis_limit(options, IO_ROWS, run->rank_count);

	if (!order)
		return no_memory();
	for (uint32_t i = 0; i < run->rank_count; i++)
		order[i] = i;
	qsort_r(order, run->rank_count, sizeof(*order), by_io_rank, s->ranks);
	report_table(report, "ranks", "by process");
	report_column(report, "rank", processes_noun(run), COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_spare(report);
	sum_columns(report);
	for (size_t i = 0; i < limit; i++) {
		const struct run_rank *r = &run->ranks[order[i]];

		report_count(report, processes_number(run, order[i]));
		report_text(report, str_at(&run->strings, r->host));
		sum_cells(report, &s->ranks[order[i]], &s->total);
	}
	free(order);
	return 0;
}

static int put_io(struct report *report, const struct io_sites *s,
		  const struct analysis_options *options)
{
	const struct run *run = s->paths->run;
	int err = 0;

	if (s->count) {
		say_total(report, s);
		err = say_path(report, s);
		say_file(report, run);
		say_most_bytes(report, s);
	} else {
		report_line(report, "No call for a file was measured: copse "
				    "run --io=on measures them.");
	}
	io_coverage_say(report, run);
	path_table(report, s, options);
	file_table(report, run, options);
	if (!err)
		err = rank_table(report, s, options);
	io_bandwidth_put(report, run,
			 analysis_limit(options, IO_ROWS, run->member_count));
	io_coverage_put(report, run);
	return err;
}

static int run_io_report(struct report **to, const struct run *const runs[],
			 const struct analysis_options *options)
{
	int err = analysis_one_run(runs, "io");
	struct io_sites sites = { 0 };
	struct paths paths;
	struct report *report;

	if (err)
		return err;
	err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	report = analysis_report("io", runs[0], NULL);
	err = report ? io_sites_init(&sites, &paths) : -ENOMEM;
	if (!err)
		err = put_io(report, &sites, options);
	io_sites_fini(&sites);
	paths_fini(&paths);
	return report_give(to, report, err);
}

const struct analysis analysis_io_report = {
	.name = "io",
	.help = "files: what was read and written, where and by whom",
	.run = run_io_report,
};
