/* SPDX-License-Identifier: BSD-3-Clause */
/* recent.c - see recent.h. */
#include "analyse/compare/recent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/compare/path-union.h"
#include "analyse/compare/recent-looks.h"
#include "analyse/ends/ends.h"
#include "base/comparison.h"
#include "base/err.h"

#define NS     1e9
#define LITTLE 0.01 /* of the time of all: paths with less are left out */

static double recent_mean(const struct recent_looks *r, enum recent_sum sum)
{
	double all = 0;

	for (size_t i = 0; i < r->count; i++)
		all += r->ranks[i].sums[sum];
	return value_ratio(all, (double)r->count);
}

/* "MPI_Recv ← get ← main"; to be freed; NULL: not known, or no memory. */
static char *doing_now(const struct recent_looks *r,
		       const struct recent_rank *rank)
{
	const struct run_last_call *c = rank->last;
	uint32_t node = c ? c->open ? c->node : c->sample_node : 0;

	return node ? ends_where(&r->paths, node) : NULL;
}

static void say_recent(struct report *report, const struct recent_looks *r)
{
	bool has_mpi = run_has_mpi(r->now);
	char time[32], extent[32], text[96] = "";
	double mpi = 0;

	for (size_t i = 0; i < r->count; i++)
		mpi += recent_in_mpi(&r->ranks[i]);
	mpi = value_ratio(mpi, (double)r->count);
	if (has_mpi)
		snprintf(text, sizeof(text), ", %.0f %% of the time in MPI",
			 100 * mpi);
	report_line(report, "In the last %s: %s, %.2g of a core each%s.",
		    phrase_time(time, r->seconds),
		    processes_extent(extent, r->now),
		    recent_mean(r, RECENT_CPU), text);
}

/* The first one is far less in MPI than half of the others. */
static void say_waited_for(struct report *report, const struct recent_looks *r)
{
	const struct recent_rank *first = &r->ranks[0];
	char *doing;

	if (!recent_is_awaited(r))
		return;
	doing = doing_now(r, first);
	report_line(report,
		    "• Others wait for rank %llu: it was in MPI %.0f %% of the "
		    "time, half of the ranks %.0f %% or more%s%s.",
		    (unsigned long long)processes_number(r->now, first->row),
		    100 * recent_in_mpi(first),
		    100 * recent_in_mpi(&r->ranks[r->count / 2]),
		    doing ? "; it is in " : "", doing ? doing : "");
	free(doing);
}

static const char *title_if(bool is_there, const char *title)
{
	return is_there ? title : NULL;
}

static void recent_rank_columns(struct report *report,
				const struct recent_looks *r)
{
	bool has_mpi = run_has_mpi(r->now);

	report_table(report, "ranks", has_mpi ? "ranks" : "processes");
	report_column(report, "rank", processes_noun(r->now), COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_spare(report);
	report_column(report, "mpi", title_if(has_mpi, "in MPI"), COLUMN_SHARE);
	report_column(report, "cores", "cores", COLUMN_NUMBER);
	report_column(report, "gpu",
		      title_if(recent_mean(r, RECENT_GPU) > 0, "GPU"),
		      COLUMN_SHARE);
	report_column(report, "calls", title_if(has_mpi, "calls/s"),
		      COLUMN_COUNT);
	report_column(report, "read",
		      title_if(recent_mean(r, RECENT_READ) > 0, "read/s"),
		      COLUMN_BYTES);
	report_column(report, "written",
		      title_if(recent_mean(r, RECENT_WRITTEN) > 0, "written/s"),
		      COLUMN_BYTES);
	report_column(report, "memory",
		      title_if(r->now->memory.reading_count, "memory"),
		      COLUMN_BYTES);
	report_column(report, "age", title_if(has_mpi, "since"),
		      COLUMN_SECONDS);
	report_column(report, "now", "now in", COLUMN_TEXT);
}

static void recent_rank_row(struct report *report, const struct recent_looks *r,
			    const struct recent_rank *rank)
{
	const struct run_rank *of = &r->now->ranks[rank->row];
	uint64_t held = recent_memory(r->now, rank->row);
	char *doing = doing_now(r, rank);

	report_count(report, processes_number(r->now, rank->row));
	report_text(report, str_at(&r->now->strings, of->host));
	report_number(report, recent_in_mpi(rank));
	report_number(report, rank->sums[RECENT_CPU]);
	report_number(report, rank->sums[RECENT_GPU]);
	value_count(report, rank->sums[RECENT_CALLS]);
	value_count(report, rank->sums[RECENT_READ]);
	value_count(report, rank->sums[RECENT_WRITTEN]);
	if (held)
		report_count(report, held);
	else
		report_none(report);
	if (rank->last && rank->last->open)
		report_number(report, (double)rank->last->begin_age_ns / NS);
	else
		report_none(report);
	report_text(report, doing);
	free(doing);
}

/*
 * Call paths: CPU time, and in MPI the time of calls that have returned.
 */

struct recent_path {
	uint32_t path;
	double seconds;
};

ORDER_BY(by_recent_time, struct recent_path, DESC(seconds) ?: ASC(path))

static int fill_recent_paths(struct recent_path *at,
			     const struct recent_looks *r,
			     const struct path_union *u, double *all)
{
	double *before = calloc(u->count + 1, sizeof(*before));
	double *now = calloc(u->count + 1, sizeof(*now));
	int err = before && now ? 0 : no_memory();

	if (!err) {
		path_union_values(u, 0, r->before, "cpu.time", "mpi.time",
				  before);
		path_union_values(u, 1, r->now, "cpu.time", "mpi.time", now);
	}
	for (size_t i = 0; i < u->count && !err; i++) {
		double more = now[i] - before[i];

		at[i] = (struct recent_path){ (uint32_t)i,
					      more > 0 ? more : 0 };
		*all += at[i].seconds;
	}
	free(before);
	free(now);
	if (!err)
		qsort(at, u->count, sizeof(*at), by_recent_time);
	return err;
}

static void put_recent_paths(struct report *report, const struct path_union *u,
			     const struct recent_path *at, double all,
			     size_t rows)
{
	report_table(report, "paths", "call paths");
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	for (size_t i = 0; i < u->count && i < rows; i++) {
		char *text;

		if (at[i].seconds <= LITTLE * all)
			break;
		text = path_union_text(u, at[i].path);
		report_number(report, value_ratio(at[i].seconds, all));
		report_number(report, at[i].seconds);
		report_text(report, text);
		free(text);
	}
}

static int recent_paths(struct report *report, const struct recent_looks *r,
			size_t rows)
{
	const struct run *const runs[] = { r->before, r->now, NULL };
	struct recent_path *at;
	struct path_union u;
	double all = 0;
	int err = path_union_init(&u, runs, 0);

	if (err)
		return err;
	at = calloc(u.count + 1, sizeof(*at));
	err = at ? fill_recent_paths(at, r, &u, &all) : no_memory();
	if (!err)
		put_recent_paths(report, &u, at, all, rows);
	free(at);
	path_union_fini(&u);
	return err;
}

static int fill_recent(struct report *report, const struct recent_looks *r,
		       size_t rows)
{
	if (r->count) {
		say_recent(report, r);
		say_waited_for(report, r);
	}
	recent_rank_columns(report, r);
	for (size_t i = 0; i < r->count && i < rows; i++)
		recent_rank_row(report, r, &r->ranks[i]);
	return recent_paths(report, r, rows);
}

int recent_report(struct report **to, const struct run *before,
		  const struct run *now, double seconds, size_t rows)
{
	struct report *report = analysis_report("top", now, NULL);
	struct recent_looks r = { 0 };
	int err =
		report ? recent_looks_init(&r, before, now, seconds) : -ENOMEM;

	if (!err)
		err = fill_recent(report, &r, rows);
	recent_looks_fini(&r);
	return report_give(to, report, err);
}
