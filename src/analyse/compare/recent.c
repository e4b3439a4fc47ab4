/* SPDX-License-Identifier: BSD-3-Clause */
/* recent.c - see recent.h. */
#include "analyse/compare/recent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/compare/path-union.h"
#include "analyse/ends/ends.h"
#include "analyse/mpi/mpi-time.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/str.h"
#include "run/values.h"

#define NS 1e9
#define APART                                                                  \
	0.2         /* of its time: so much less in MPI than half of the ranks \
		     */
#define LITTLE 0.01 /* of the time of all: paths with less are left out */

/* What is summed up for each rank. */
enum recent_sum {
	RECENT_CPU,
	RECENT_GPU,
	RECENT_CALLS,
	RECENT_READ,
	RECENT_WRITTEN,
	RECENT_MPI, /* with the call that has not returned */
	RECENT_SUMS
};

static const char *const metrics_of_sums[RECENT_SUMS] = {
	[RECENT_CPU] = "cpu.time",       [RECENT_GPU] = "gpu.time",
	[RECENT_CALLS] = "mpi.calls",    [RECENT_READ] = "io.read",
	[RECENT_WRITTEN] = "io.written",
};

struct recent_rank {
	uint32_t row;             /* of the run's ranks */
	double sums[RECENT_SUMS]; /* a second; times as shares of a core */
	const struct run_last_call *last; /* NULL: there is none */
};

struct recent_looks {
	const struct run *before, *now;
	double seconds;
	struct paths paths; /* of `now` */
	struct recent_rank *ranks;
	size_t count;
};

/* A metric of each rank; NULL with a reason: no memory. */
static double *sums_by_rank(const struct run *run, const char *name)
{
	const struct run_metric *m = run_metric(run, name);
	uint64_t *counts = calloc(run->rank_count + 1, sizeof(*counts));
	double *sums = calloc(run->rank_count + 1, sizeof(*sums));
	struct value_buffer buffer = { 0 };
	int err = counts && sums ? 0 : no_memory();

	for (size_t n = 0; m && n < run->node_count && !err; n++)
		err = values_add_up(run, m, n, &buffer, counts);
	for (size_t r = 0; r < run->rank_count && !err; r++)
		sums[r] = value_of(m ? m->unit : UNIT_COUNT, (double)counts[r]);
	value_buffer_fini(&buffer);
	free(counts);
	if (err) {
		free(sums);
		return NULL;
	}
	return sums;
}

static bool is_open_mpi(const struct run *run, const struct run_last_call *c)
{
	return c->open && run->nodes[c->node].kind == RUN_MPI;
}

/* Time in MPI of each rank until now; NULL with a reason: no memory. */
static double *mpi_by_rank(const struct run *run)
{
	double *sums = calloc(run->rank_count + 1, sizeof(*sums));
	double *open = calloc(run->rank_count + 1, sizeof(*open));
	struct mpi_time *times = mpi_times(run, 0);

	if (!sums || !open || !times) {
		free(sums);
		free(open);
		free(times);
		no_memory();
		return NULL;
	}
	for (size_t i = 0; i < run->ends.call_count; i++) {
		const struct run_last_call *c = &run->ends.calls[i];
		double age = (double)c->begin_age_ns / NS;

		if (is_open_mpi(run, c) && age > open[c->rank])
			open[c->rank] = age;
	}
	for (size_t r = 0; r < run->rank_count; r++)
		sums[r] = times[r].total + open[r];
	free(open);
	free(times);
	return sums;
}

static double *sum_by_rank(const struct run *run, enum recent_sum sum)
{
	return sum == RECENT_MPI ? mpi_by_rank(run)
				 : sums_by_rank(run, metrics_of_sums[sum]);
}

static bool is_process(const struct run *a, size_t i, const struct run *b,
		       size_t k)
{
	return a->ranks[i].pid == b->ranks[k].pid &&
	       a->ranks[i].start_real_ns == b->ranks[k].start_real_ns;
}

/* Its row before; rank_count: it was not there. */
static size_t row_before(const struct recent_looks *r, size_t row)
{
	if (row < r->before->rank_count &&
	    is_process(r->now, row, r->before, row))
		return row;
	for (size_t i = 0; i < r->before->rank_count; i++)
		if (is_process(r->now, row, r->before, i))
			return i;
	return r->before->rank_count;
}

static int take_recent_sum(struct recent_looks *r, enum recent_sum sum)
{
	double *before = sum_by_rank(r->before, sum);
	double *now = before ? sum_by_rank(r->now, sum) : NULL;

	for (size_t i = 0; i < r->count && now; i++) {
		size_t then = row_before(r, r->ranks[i].row);
		double was = then < r->before->rank_count ? before[then] : 0;
		double more = now[r->ranks[i].row] - was;

		r->ranks[i].sums[sum] = more > 0 ? more / r->seconds : 0;
	}
	free(before);
	free(now);
	return now ? 0 : -ENOMEM;
}

/* Of two threads: the one in a call, the one that computed last. */
static bool tells_more(const struct run_last_call *a,
		       const struct run_last_call *b)
{
	if (a->open != b->open)
		return a->open;
	return a->open ? a->begin_age_ns > b->begin_age_ns
		       : a->sample_age_ns < b->sample_age_ns;
}

static void take_last_calls(struct recent_looks *r)
{
	for (size_t i = 0; i < r->now->ends.call_count; i++) {
		const struct run_last_call *c = &r->now->ends.calls[i];

		for (size_t k = 0; k < r->count; k++)
			if (r->ranks[k].row == c->rank &&
			    (!r->ranks[k].last ||
			     tells_more(c, r->ranks[k].last)))
				r->ranks[k].last = c;
	}
}

/* Who is in MPI least is waited for; or else who has most of the cores. */
ORDER_BY(by_being_waited_for, struct recent_rank,
	 ASC(sums[RECENT_MPI]) ?: DESC(sums[RECENT_CPU]) ?: ASC(row))

static int recent_init(struct recent_looks *r)
{
	size_t count = r->now->member_count;
	int err = paths_init(&r->paths, r->now);

	if (err)
		return err;
	r->ranks = calloc(count + 1, sizeof(*r->ranks));
	if (!r->ranks)
		return no_memory();
	r->count = count;
	for (size_t i = 0; i < count; i++)
		r->ranks[i].row = (uint32_t)i;
	for (int s = 0; s < RECENT_SUMS && !err; s++)
		err = take_recent_sum(r, (enum recent_sum)s);
	take_last_calls(r);
	if (!err && count)
		qsort(r->ranks, count, sizeof(*r->ranks), by_being_waited_for);
	return err;
}

static double recent_mean(const struct recent_looks *r, enum recent_sum sum)
{
	double all = 0;

	for (size_t i = 0; i < r->count; i++)
		all += r->ranks[i].sums[sum];
	return value_ratio(all, (double)r->count);
}

static double share_in_mpi(const struct recent_rank *rank)
{
	return rank->sums[RECENT_MPI] < 1 ? rank->sums[RECENT_MPI] : 1;
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
		mpi += share_in_mpi(&r->ranks[i]);
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

	if (!run_has_mpi(r->now) || r->count < 2 ||
	    share_in_mpi(&r->ranks[r->count / 2]) < share_in_mpi(first) + APART)
		return;
	doing = doing_now(r, first);
	report_line(report,
		    "• Others wait for rank %llu: it was in MPI %.0f %% of the "
		    "time, half of the ranks %.0f %% or more%s%s.",
		    (unsigned long long)processes_number(r->now, first->row),
		    100 * share_in_mpi(first),
		    100 * share_in_mpi(&r->ranks[r->count / 2]),
		    doing ? "; it is in " : "", doing ? doing : "");
	free(doing);
}

static uint64_t memory_now(const struct run *run, uint32_t row)
{
	const struct run_memory *m = &run->memory;
	uint64_t held = 0;

	for (size_t i = 0; i < m->reading_count; i++)
		if (m->readings[i].rank == row)
			held = m->readings[i].resident;
	return held;
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
	uint64_t held = memory_now(r->now, rank->row);
	char *doing = doing_now(r, rank);

	report_count(report, processes_number(r->now, rank->row));
	report_text(report, str_at(&r->now->strings, of->host));
	report_number(report, share_in_mpi(rank));
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
	struct recent_looks r = { .before = before,
				  .now = now,
				  .seconds = seconds };
	struct report *report = analysis_report("top", now, NULL);
	int err = report ? recent_init(&r) : -ENOMEM;

	if (!err)
		err = fill_recent(report, &r, rows);
	free(r.ranks);
	if (report)
		paths_fini(&r.paths);
	if (!err)
		err = report_error(report);
	if (err)
		report_free(report);
	else
		*to = report;
	return err;
}
