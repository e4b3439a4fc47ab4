/* SPDX-License-Identifier: BSD-3-Clause */
/* wait-report.c - who made whom wait: victim, culprit, and where that was. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-findings.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/split/cpu-contention.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/paths/own-paths.h"
#include "analyse/mpi/wait-causes.h"
#include "analyse/split/time-split.h"
#include "base/err.h"
#include "base/comparison.h"

/* Whom a row's list of victims names: they waited so much of it together. */
#define MOST   0.99
#define SLEPT  0.01 /* of the run: worth a word on how to see more */
#define LITTLE 1e-3 /* of the run: no row, unless rows are asked for */
#define FRAMES 3    /* of what the culprit's other threads did */

static void wait_columns(struct report *report)
{
	report_table(report, "waits", "who waited for whom");
	report_column(report, "seconds", "waited", COLUMN_SECONDS);
	report_column(report, "error", NULL, COLUMN_SECONDS);
	report_column(report, NULL, "±", COLUMN_SECONDS);
	report_column(report, "share", "of run", COLUMN_SHARE);
	report_column(report, "kind", NULL, COLUMN_TEXT);
	report_column(report, NULL, "kind", COLUMN_TEXT);
	report_column(report, "victims", "ranks", COLUMN_TEXT);
	report_column(report, "victim", "in", COLUMN_TEXT);
	report_column(report, "culprit_rank", "for rank", COLUMN_COUNT);
	report_column(report, "culprit", NULL, COLUMN_TEXT);
	report_column(report, NULL, "which was in", COLUMN_TEXT);
	report_column(report, "sampled", NULL, COLUMN_COUNT);
	report_column(report, "helpers", NULL, COLUMN_TEXT);
	report_column(report, "helpers_seconds", NULL, COLUMN_SECONDS);
	report_column(report, "indirect", NULL, COLUMN_SECONDS);
	report_column(report, "early", NULL, COLUMN_SECONDS);
	report_column(report, "cause_seconds", NULL, COLUMN_SECONDS);
	report_column(report, "instances", NULL, COLUMN_COUNT);
	report_column(report, "samples", NULL, COLUMN_COUNT);
}

/* Where its other threads were most, when this one has no sample. */
static const struct blame_row *helpers_of(const struct blames *b,
					  const struct blame_row *row)
{
	const struct blame *of = &b->at[row->blame];

	return row->unsampled && of->helpers
		       ? &b->rows[of->first_row + of->rows]
		       : NULL;
}

/*
 * "[not sampled; others: compute ← work] ← main", to be freed: it comes first,
 * as narrow tables leave out ends of paths, and all but the names of functions.
 */
static char *unsampled_text(const struct blames *b, const char *text,
			    const struct blame_row *helpers)
{
	char *path = helpers ? paths_short(b->paths, helpers->context, FRAMES)
			     : strdup("");
	char *said = path ? str_format("[not sampled%s%s] ← %s",
				       *path ? "; others: " : "", path, text)
			  : NULL;

	free(path);
	return said;
}

/* "compute ← main", with a word when that is not from a sample. */
static void put_wait_context(struct report *report, const struct blames *b,
			     const struct blame_row *row)
{
	const struct blame_row *helpers = helpers_of(b, row);
	char *text = paths_text(b->paths, row->context);
	char *brief = paths_brief(b->paths, row->context);
	char *plain = brief && row->unsampled
			      ? unsampled_text(b, brief, helpers)
			      : NULL;
	char *others =
		helpers ? paths_text(b->paths, helpers->context) : strdup("");

	report->failed |=
		!text || !brief || (row->unsampled && !plain) || !others;
	report_text(report, text);
	report_text(report, plain ? plain : brief);
	report_count(report, !row->unsampled);
	report_text(report, others);
	report_number(report, helpers ? helpers->seconds : NAN);
	free(others);
	free(plain);
	free(brief);
	free(text);
}

static void waits_row(struct report *report, const struct blames *b,
		      const struct blame_row *row)
{
	const struct blame *of = &b->at[row->blame];
	double part = value_ratio(row->seconds, of->seconds);
	size_t count;
	char *victims = wait_blames_victims(b, &of, 1, MOST, &count);

	report->failed |= !victims;
	report_number(report, row->seconds);
	report_number(report, row->error);
	value_if_known(report, row->error);
	report_number(report, value_ratio(row->seconds, b->run_seconds));
	report_text(report, wait_names[of->kind].name);
	report_text(report, wait_names[of->kind].title);
	report_text(report, victims);
	paths_cell(report, b->paths, of->victim);
	report_count(report, processes_number(b->paths->run, of->culprit));
	put_wait_context(report, b, row);
	report_number(report, part * of->indirect);
	report_number(report, part * of->early);
	report_number(report, of->seconds);
	report_count(report, of->instances);
	report_count(report, row->samples);
	free(victims);
}

ORDER_BY(by_own_context, struct blame_row,
	 ASC(blame) ?: ASC(context) ?: ASC(unsampled))

/*
 * The rows, but for helpers, with those of one function of the program's as
 * one; to be freed, NULL when out of memory.
 */
static struct blame_row *sum_rows(const struct blames *b, size_t *count)
{
	struct blame_row *rows = calloc(b->row_count + 1, sizeof(*rows));
	size_t n = 0;

	*count = 0;
	for (size_t i = 0; rows && i < b->row_count; i++) {
		if (b->rows[i].helpers)
			continue;
		rows[n] = b->rows[i];
		rows[n].context = paths_own(b->paths, rows[n].context);
		n++;
	}
	if (n)
		qsort(rows, n, sizeof(*rows), by_own_context);
	for (size_t i = 0; i < n; i++) {
		struct blame_row *last = rows + *count - 1;

		if (!*count || by_own_context(last, &rows[i])) {
			rows[(*count)++] = rows[i];
			continue;
		}
		last->seconds += rows[i].seconds;
		last->error = hypot(last->error, rows[i].error);
		last->samples += rows[i].samples;
	}
	return rows;
}

ORDER_BY(by_row_seconds, struct blame_row,
	 DESC(seconds) ?: by_own_context(a, b))

/* What may be nothing is shown to those who ask for it. */
static bool is_wait_row(const struct blames *b, const struct blame_row *row,
			const struct analysis_options *options)
{
	return options->limit || (row->seconds > row->error &&
				  row->seconds >= LITTLE * b->run_seconds);
}

/* Why there are no rows: readers would take an empty report for a fault. */
static void no_rows(struct report *report, const struct blames *b)
{
	const struct run *run = b->paths->run;
	char least[32];

	if (run->world == 1)
		report_line(report, "One rank waits for nobody.");
	else if (!run->world || !run->waits.joined.parts)
		return; /* say_joined() says why */
	else if (!run->waits.joined.instances)
		report_line(
			report,
			"No collective call or message has the event records "
			"of all its ranks, so nothing is known about waiting.");
	else if (b->seconds > 0)
		report_line(report,
			    "Nobody waited for another rank for longer than %s "
			    "(%g %% of all time) or than its error; -n 0 shows "
			    "all waits.",
			    phrase_time(least, LITTLE * b->run_seconds),
			    100 * LITTLE);
	else
		report_line(report, "Nobody waited for another rank.");
}

static int waits_table(struct report *report, struct blames *b,
		       const struct analysis_options *options)
{
	size_t count, shown = 0;
	struct blame_row *rows = sum_rows(b, &count);
	size_t limit = analysis_limit(options, 20, count);

	if (!rows)
		return no_memory();
	if (count)
		qsort(rows, count, sizeof(*rows), by_row_seconds);
	wait_columns(report);
	for (size_t i = 0; i < count && shown < limit; i++) {
		if (!is_wait_row(b, &rows[i], options))
			continue;
		waits_row(report, b, &rows[i]);
		shown++;
	}
	free(rows);
	if (!shown)
		no_rows(report, b);
	return 0;
}

/* For programs; readers have a list in each row. */
static void victim_table(struct report *report, const struct blames *b)
{
	report_table(report, "victims", NULL);
	report_column(report, "kind", NULL, COLUMN_TEXT);
	report_column(report, "victim", NULL, COLUMN_TEXT);
	report_column(report, "culprit_rank", NULL, COLUMN_COUNT);
	report_column(report, "rank", NULL, COLUMN_COUNT);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	for (size_t i = 0; i < b->victim_count; i++) {
		const struct blame_victim *v = &b->victims[i];
		const struct blame *of = &b->at[v->blame];
		char *victim = paths_text(b->paths, of->victim);

		report->failed |= !victim;
		report_text(report, wait_names[of->kind].name);
		report_text(report, victim);
		report_count(report,
			     processes_number(b->paths->run, of->culprit));
		report_count(report, processes_number(b->paths->run, v->rank));
		report_number(report, v->seconds);
		free(victim);
	}
}

static void wait_rank_table(struct report *report, const struct run *run)
{
	const struct run_waits *w = &run->waits;

	report_table(report, "ranks", "ranks");
	report_column(report, "rank", "rank", COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "run", NULL, COLUMN_SECONDS);
	report_column(report, "mpi", "MPI", COLUMN_SECONDS);
	report_column(report, "waited", "waited", COLUMN_SECONDS);
	report_column(report, "waited_main", NULL, COLUMN_SECONDS);
	report_column(report, "share", "of run", COLUMN_SHARE);
	report_column(report, "caused", "made others wait", COLUMN_SECONDS);
	for (size_t i = 0; i < run->member_count && run->world; i++) {
		const struct run_rank *r = &run->ranks[i];

		report_count(report, processes_number(run, i));
		report_text(report, str_at(&run->strings, r->host));
		report_number(report, (double)r->mpi_ns / 1e9);
		report_number(report, (double)r->mpi_time_ns / 1e9);
		report_number(report, w->ranks[i].waited_ns / 1e9);
		report_number(report, w->ranks[i].main_ns / 1e9);
		report_number(report, value_ratio(w->ranks[i].waited_ns / 1e9,
						  time_split_first(r)));
		report_number(report, w->ranks[i].caused_ns / 1e9);
	}
}

static void wait_kind_table(struct report *report, const struct blames *b)
{
	double sums[WAIT_KINDS] = { 0 };
	uint64_t instances[WAIT_KINDS] = { 0 };

	for (size_t i = 0; i < b->count; i++) {
		if (b->at[i].culprit == WAIT_OTHERS)
			continue;
		sums[b->at[i].kind] += b->at[i].seconds;
		instances[b->at[i].kind] += b->at[i].instances;
	}
	report_table(report, "kinds", "kinds of waiting");
	report_column(report, "kind", NULL, COLUMN_TEXT);
	report_column(report, NULL, "kind", COLUMN_TEXT);
	report_column(report, "seconds", "waited", COLUMN_SECONDS);
	report_column(report, "share", "of run", COLUMN_SHARE);
	for (uint32_t i = 0; i < WAIT_KINDS; i++) {
		if (!instances[i])
			continue;
		report_text(report, wait_names[i].name);
		report_text(report, wait_names[i].title);
		report_number(report, sums[i]);
		report_number(report, value_ratio(sums[i], b->run_seconds));
	}
}

static void not_sampled(struct report *report, const struct blames *b)
{
	for (size_t i = 0; i < b->row_count; i++)
		if (b->rows[i].unsampled &&
		    b->rows[i].seconds >= SLEPT * b->run_seconds) {
			report_note(report, "While a rank slept or lacked a "
					    "core it was not sampled; copse "
					    "run -e wall shows where it was.");
			return;
		}
}

static void say_joined(struct report *report, const struct blames *b)
{
	const struct run *run = b->paths->run;

	if (run_has_mpi(run)) {
		not_sampled(report, b);
		findings_joined(report, run);
	} else if (!run->collectives.row_count) {
		report_line(report,
			    "No MPI was measured in this run, and this report "
			    "is about waiting in MPI. For other waiting: copse "
			    "run -e wall, then copse report hotspots.");
	}
}

static int fill_waits(struct report *report, const struct run *run,
		      const struct analysis_options *options)
{
	struct blames blames = { 0 };
	struct paths paths;
	int err = paths_init(&paths, run);

	if (err)
		return err;
	jobs_findings(report, run);
	err = wait_blames_init(&blames, &paths);
	if (!err)
		err = contention_findings(report, run);
	if (!err)
		err = findings_waits(report, &blames);
	if (!err)
		err = waits_table(report, &blames, options);
	if (!err) {
		victim_table(report, &blames);
		if (run_has_mpi(run))
			wait_rank_table(report, run);
		wait_kind_table(report, &blames);
		say_joined(report, &blames);
		err = gpu_collectives_tables(report, &paths, options);
	}
	wait_blames_fini(&blames);
	paths_fini(&paths);
	return err;
}

static int run_waits(struct report **to, const struct run *const runs[],
		     const struct analysis_options *options)
{
	int err = analysis_one_run(runs, "waits");

	if (err)
		return err;
	*to = analysis_report("waits", runs[0], NULL);
	if (!*to)
		return -ENOMEM;
	err = fill_waits(*to, runs[0], options);
	return err ? err : report_error(*to);
}

const struct analysis analysis_wait_report = {
	.name = "waits",
	.help = "who waited for whom in MPI, and what that one did meanwhile",
	.run = run_waits,
};
