/* SPDX-License-Identifier: BSD-3-Clause */
/* recent.c - see recent.h. */
#include "analyse/compare/recent.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/base/phrase.h"
#include "analyse/base/python-words.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/str.h"

#define LITTLE 0.01 /* of the time of all: paths with less are left out */
#define APART  0.2  /* of the time: it is in MPI so much less than others */

static double recent_mean(const struct recent_summary *s, enum recent_sum sum)
{
	return value_ratio(s->sums[sum], (double)s->processes);
}

static const char *noun_of(const struct recent_summary *s)
{
	return s->world ? "rank" : "process";
}

static char *extent_of(char to[32], const struct recent_summary *s)
{
	phrase_plural(to, s->world ? s->world : s->processes, noun_of(s));
	return to;
}

static void say_recent(struct report *report, const struct recent_summary *s)
{
	char time[32], extent[32], text[96] = "", hosts[32] = "";

	if (s->has_mpi)
		snprintf(text, sizeof(text), ", %.0f %% of the time in MPI",
			 100 * recent_mean(s, RECENT_MPI));
	extent_of(extent, s);
	if (s->one && s->row_count)
		snprintf(extent, sizeof(extent), "%s %llu", noun_of(s),
			 (unsigned long long)s->rows->number);
	if (s->hosts > 1)
		snprintf(hosts, sizeof(hosts), " on %zu hosts", s->hosts);
	report_line(report, "In the last %s: %s%s, %.2g of a core%s%s.",
		    phrase_time(time, s->seconds), extent, hosts,
		    recent_mean(s, RECENT_CPU), s->one ? "" : " each", text);
}

/* The first one is far less in MPI than half of the others. */
static void say_waited_for(struct report *report,
			   const struct recent_summary *s)
{
	const struct recent_row *first = s->rows;
	double half = recent_half_in_mpi(s);
	const char *doing;

	if (!s->has_mpi || s->processes < 2 || !s->row_count ||
	    half < first->sums[RECENT_MPI] + APART)
		return;
	doing = first->doing && *first->doing ? first->doing : NULL;
	report_line(report,
		    "• Others wait for rank %llu: it was in MPI %.0f %% of the "
		    "time, half of the ranks %.0f %% or more%s%s.",
		    (unsigned long long)first->number,
		    100 * first->sums[RECENT_MPI], 100 * half,
		    doing ? "; it is in " : "", doing ? doing : "");
}

static const char *title_if(bool is_there, const char *title)
{
	return is_there ? title : NULL;
}

static bool knows_memory(const struct recent_summary *s)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].memory)
			return true;
	return false;
}

/* Somebody asks for call paths with a word. */
static bool knows_there(const struct recent_summary *s)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].there >= 0)
			return true;
	return false;
}

static void recent_rank_columns(struct report *report,
				const struct recent_summary *s)
{
	bool has_mpi = s->has_mpi;

	report_table(report, "ranks", has_mpi ? "ranks" : "processes");
	report_column(report, "rank", noun_of(s), COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_spare(report);
	report_column(report, "mpi", title_if(has_mpi, "in MPI"), COLUMN_SHARE);
	report_column(report, "there", title_if(knows_there(s), "there"),
		      COLUMN_SHARE);
	report_column(report, "cores", "cores", COLUMN_NUMBER);
	report_column(report, "gpu",
		      title_if(recent_mean(s, RECENT_GPU) > 0, "GPU"),
		      COLUMN_SHARE);
	report_column(report, "calls", title_if(has_mpi, "calls/s"),
		      COLUMN_COUNT);
	report_column(report, "read",
		      title_if(recent_mean(s, RECENT_READ) > 0, "read/s"),
		      COLUMN_BYTES);
	report_column(report, "written",
		      title_if(recent_mean(s, RECENT_WRITTEN) > 0, "written/s"),
		      COLUMN_BYTES);
	report_column(report, "memory", title_if(knows_memory(s), "memory"),
		      COLUMN_BYTES);
	report_column(report, "age", title_if(has_mpi, "since"),
		      COLUMN_SECONDS);
	report_column(report, "now", "now in", COLUMN_TEXT);
}

static void recent_rank_row(struct report *report, const struct recent_row *row)
{
	report_count(report, row->number);
	report_text(report, row->host);
	report_number(report, row->sums[RECENT_MPI]);
	if (row->there >= 0)
		report_number(report, row->there);
	else
		report_none(report);
	report_number(report, row->sums[RECENT_CPU]);
	report_number(report, row->sums[RECENT_GPU]);
	value_count(report, row->sums[RECENT_CALLS]);
	value_count(report, row->sums[RECENT_READ]);
	value_count(report, row->sums[RECENT_WRITTEN]);
	if (row->memory)
		report_count(report, row->memory);
	else
		report_none(report);
	if (row->age >= 0)
		report_number(report, row->age);
	else
		report_none(report);
	report_text(report, row->doing);
}

static void recent_paths(struct report *report, const struct recent_summary *s,
			 size_t rows)
{
	report_table(report, "paths", "call paths");
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	for (size_t i = 0; i < s->path_count && i < rows; i++) {
		const struct recent_path *p = &s->paths[i];

		if (p->seconds <= LITTLE * s->path_seconds)
			break;
		report_number(report, value_ratio(p->seconds, s->path_seconds));
		report_number(report, p->seconds);
		report_text(report, p->text);
	}
}

static struct report *new_recent_report(const struct recent_summary *s)
{
	char extent[32];
	char *title = str_format("top · %s · %s", python_program(s->command),
				 extent_of(extent, s));
	struct report *report = title ? report_new("top", title) : NULL;

	if (!report)
		no_memory();
	free(title);
	return report;
}

int recent_report(struct report **to, const struct recent_summary *s,
		  size_t rows)
{
	struct report *report = new_recent_report(s);

	if (!report)
		return report_give(to, report, -ENOMEM);
	if (s->processes) {
		say_recent(report, s);
		say_waited_for(report, s);
	}
	recent_rank_columns(report, s);
	for (size_t i = 0; i < s->row_count && i < rows; i++)
		recent_rank_row(report, &s->rows[i]);
	recent_paths(report, s, rows);
	return report_give(to, report, 0);
}
