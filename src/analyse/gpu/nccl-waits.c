/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nccl-waits.c - collective calls of devices (NCCL): how long they took,
 * and for whom they waited.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "analyse/gpu/gpu-findings.h"
#include "analyse/paths/dominant-path.h"
#include "analyse/paths/paths.h"
#include "base/comparison.h"
#include "base/err.h"
#include "live/layout.h"

#define NS     1e9
#define ROWS   20
#define FRAMES 3
#define WORTH  0.05 /* of the time of collective calls: a wait that is said */
#define SLEPT  0.5

static struct run_collective sum_collectives(const struct run *run)
{
	struct run_collective sum = { 0 };

	for (size_t i = 0; i < run->collectives.row_count; i++) {
		const struct run_collective *c = &run->collectives.rows[i];

		sum.count += c->count;
		sum.ns += c->ns;
		sum.waited_ns += c->waited_ns;
	}
	return sum;
}

/*
 * Sentences.
 */

/* What its kernels were. */
static const char *calls_noun(const struct run *run)
{
	const struct run_collectives *c = &run->collectives;
	size_t messages = 0;

	for (size_t i = 0; i < c->row_count; i++)
		messages += c->rows[i].function >= LIVE_COLLECTIVE_SEND;
	if (!messages)
		return "collective calls";
	return messages == c->row_count ? "messages" : "calls of NCCL";
}

/* A part of what others waited for a rank, and where that one mainly was. */
struct blamed_part {
	double ns, slept_ns; /* of it, without samples */
	struct mainly in;
};

static int find_part(struct blamed_part *to, const struct paths *paths,
		     uint32_t rank, bool busy)
{
	const struct run_collectives *c = &paths->run->collectives;
	double *own = calloc(paths->count + 1, sizeof(*own));
	int err;

	*to = (struct blamed_part){ 0 };
	if (!own)
		return no_memory();
	for (size_t i = 0; i < c->wait_count; i++) {
		const struct run_device_wait *w = &c->waits[i];

		if (w->culprit != rank || (bool)w->busy != busy)
			continue;
		to->ns += w->ns;
		if (w->context)
			own[paths->of[w->context]] += w->ns / NS;
		else
			to->slept_ns += w->ns;
	}
	err = dominant_in(&to->in, paths, own, 0);
	free(own);
	return err;
}

/* "780 ms for its host, which launched late, in load ← step"; to be freed. */
static char *part_text(const struct paths *paths, const struct blamed_part *of,
		       const char *for_what)
{
	char time[32], *where = NULL, *text;

	phrase_time(time, of->ns / NS);
	if (of->slept_ns > SLEPT * of->ns)
		return str_format(
			"%s for %s; it was not sampled then: it slept, "
			"waited or lacked a core (copse run -e wall "
			"shows where)",
			time, for_what);
	if (of->in.path)
		where = paths_short_mostly(paths, of->in.path, FRAMES,
					   of->in.mostly);
	text = str_format("%s for %s%s%s", time, for_what, where ? ", in " : "",
			  where ? where : "");
	free(where);
	return text;
}

static int say_blamed(struct report *report, const struct paths *paths,
		      const struct run_collective *all, uint32_t rank)
{
	const struct run *run = paths->run;
	struct blamed_part parts[2];
	char *texts[2] = { NULL, NULL }, time[32];
	double ns;
	int err = find_part(&parts[0], paths, rank, false);

	if (!err)
		err = find_part(&parts[1], paths, rank, true);
	if (err)
		return err;
	ns = parts[0].ns + parts[1].ns;
	if (parts[0].ns > WORTH * ns)
		texts[0] = part_text(paths, &parts[0],
				     "its host, which launched late");
	if (parts[1].ns > WORTH * ns)
		texts[1] =
			part_text(paths, &parts[1], "other kernels of its GPU");
	report->failed |= (parts[0].ns > WORTH * ns && !texts[0]) ||
			  (parts[1].ns > WORTH * ns && !texts[1]);
	phrase_time(time, ns / NS);
	report_line(report,
		    "! In %s GPUs waited %s, %.0f %% of their time there, for "
		    "%s %llu: %s%s%s.",
		    calls_noun(run), time, 100 * ns / all->ns,
		    processes_noun(run),
		    (unsigned long long)processes_number(run, rank),
		    texts[0] ? texts[0] : "", texts[0] && texts[1] ? "; " : "",
		    texts[1] ? texts[1] : "");
	free(texts[0]);
	free(texts[1]);
	return 0;
}

int findings_gpu_collectives(struct report *report, const struct paths *paths)
{
	const struct run_collectives *c = &paths->run->collectives;
	struct run_collective all = sum_collectives(paths->run);
	const struct run_device_rank *worst = c->ranks;
	char time[32];

	if (!c->row_count || all.ns <= 0)
		return 0;
	for (size_t i = 1; i < c->rank_count; i++)
		if (c->ranks[i].caused_ns > worst->caused_ns)
			worst = &c->ranks[i];
	phrase_time(time, all.ns / NS);
	report_line(report,
		    "%s of kernels are %s (%s most), %.0f %% of it waiting "
		    "for the last rank.",
		    time, calls_noun(paths->run),
		    run_collective_name(c->rows->function),
		    100 * all.waited_ns / all.ns);
	if (worst->caused_ns < WORTH * all.ns)
		return 0;
	return say_blamed(report, paths, &all, worst->rank);
}

/*
 * The report.
 */

static void collectives_table(struct report *report, const struct paths *paths,
			      const struct analysis_options *options)
{
	const struct run_collectives *c = &paths->run->collectives;
	size_t limit = analysis_limit(options, ROWS, c->row_count);

	report_table(report, "collectives", "calls of NCCL");
	report_column(report, "function", "function", COLUMN_TEXT);
	report_column(report, "ranks", "ranks", COLUMN_COUNT);
	report_column(report, "count", "kernels", COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "waited", "waiting", COLUMN_SECONDS);
	report_column(report, "bus_bandwidth", "bus GB/s", COLUMN_NUMBER);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	for (size_t i = 0; i < limit; i++) {
		const struct run_collective *row = &c->rows[i];

		report_text(report, run_collective_name(row->function));
		report_count(report, row->size);
		value_count(report, row->count);
		report_number(report, row->ns / NS);
		report_number(report, row->waited_ns / NS);
		report_number(report, value_ratio(row->bus_bytes,
						  row->ns - row->waited_ns));
		paths_cell(report, paths, paths->of[row->node]);
	}
}

/* By culprit, reason and context: all that waited, together. */
struct wait_row {
	uint32_t culprit, busy, path;
	double ns;
};

ORDER_BY(by_reason, struct wait_row, ASC(culprit) ?: ASC(busy) ?: ASC(path))

ORDER_BY(by_wait, struct wait_row,
	 DESC(ns) ?: ASC(culprit) ?: ASC(busy) ?: ASC(path))

static size_t sum_wait_rows(struct wait_row *rows, const struct paths *paths)
{
	const struct run_collectives *c = &paths->run->collectives;
	size_t count = 0;

	for (size_t i = 0; i < c->wait_count; i++)
		rows[i] = (struct wait_row){ c->waits[i].culprit,
					     c->waits[i].busy,
					     paths->of[c->waits[i].context],
					     c->waits[i].ns };
	qsort(rows, c->wait_count, sizeof(*rows), by_reason);
	for (size_t i = 0; i < c->wait_count; i++)
		if (count && !by_reason(&rows[count - 1], &rows[i]))
			rows[count - 1].ns += rows[i].ns;
		else
			rows[count++] = rows[i];
	qsort(rows, count, sizeof(*rows), by_wait);
	return count;
}

static int collective_waits_table(struct report *report,
				  const struct paths *paths,
				  const struct analysis_options *options)
{
	const struct run *run = paths->run;
	struct wait_row *rows =
		calloc(run->collectives.wait_count + 1, sizeof(*rows));
	size_t count, limit;

	if (!rows)
		return no_memory();
	count = sum_wait_rows(rows, paths);
	limit = analysis_limit(options, ROWS, count);
	report_table(report, "collective_waits", "for whom they waited");
	report_column(report, "seconds", "waiting", COLUMN_SECONDS);
	report_column(report, "rank", run->world ? "for rank" : "for process",
		      COLUMN_COUNT);
	report_column(report, "late", "late", COLUMN_TEXT);
	report_column(report, "call_path", "which was in", COLUMN_TEXT);
	for (size_t i = 0; i < limit; i++) {
		report_number(report, rows[i].ns / NS);
		report_count(report, processes_number(run, rows[i].culprit));
		report_text(report, rows[i].busy ? "GPU" : "host");
		if (rows[i].path || rows[i].busy)
			paths_cell(report, paths, rows[i].path);
		else
			report_text(report, "(not sampled)");
	}
	free(rows);
	return 0;
}

static void device_ranks_table(struct report *report, const struct run *run,
			       const struct analysis_options *options)
{
	const struct run_collectives *c = &run->collectives;
	size_t limit = analysis_limit(options, ROWS, c->rank_count);

	report_table(report, "collective_ranks",
		     run->world ? "their ranks" : "their processes");
	report_column(report, "rank", run->world ? "rank" : "process",
		      COLUMN_COUNT);
	report_column(report, "seconds", "in calls", COLUMN_SECONDS);
	report_column(report, "waited", "waiting", COLUMN_SECONDS);
	report_column(report, "caused", "waited for", COLUMN_SECONDS);
	for (size_t i = 0; i < limit; i++) {
		report_count(report, processes_number(run, c->ranks[i].rank));
		report_number(report, c->ranks[i].ns / NS);
		report_number(report, c->ranks[i].waited_ns / NS);
		report_number(report, c->ranks[i].caused_ns / NS);
	}
}

static void note_matching(struct report *report, const struct run *run)
{
	const struct run_device_calls *j = &run->collectives.joined;

	if (j->lacking)
		report_note(report,
			    "%llu of %llu calls are not in this: a rank's "
			    "record is missing.",
			    (unsigned long long)j->lacking,
			    (unsigned long long)(j->lacking + j->calls));
	if (j->level)
		report_note(report,
			    "One call in %llu was kept: the others are "
			    "estimated by these.",
			    1ull << j->level % 64);
	if (j->clock_error_ns > 1e6)
		report_note(report,
			    "The clocks of hosts may differ by %.0f ms: waits "
			    "below that are not seen.",
			    j->clock_error_ns / 1e6);
}

int gpu_collectives_tables(struct report *report, const struct paths *paths,
			   const struct analysis_options *options)
{
	int err;

	if (!paths->run->collectives.row_count)
		return 0;
	err = findings_gpu_collectives(report, paths);
	if (!err) {
		collectives_table(report, paths, options);
		err = collective_waits_table(report, paths, options);
	}
	if (!err)
		device_ranks_table(report, paths->run, options);
	note_matching(report, paths->run);
	return err;
}

static int run_collectives_analysis(struct report **to,
				    const struct run *const runs[],
				    const struct analysis_options *options)
{
	int err = analysis_one_run(runs, "gpu-collectives");
	struct report *report;
	struct paths paths;

	if (err)
		return err;
	report = analysis_report("gpu-collectives", runs[0], NULL);
	if (!report)
		return -ENOMEM;
	err = paths_init(&paths, runs[0]);
	if (!runs[0]->collectives.row_count)
		report_line(report,
			    "No collective call of NCCL was seen on two "
			    "ranks or more, and no message at both ends.");
	if (!err) {
		err = gpu_collectives_tables(report, &paths, options);
		paths_fini(&paths);
	}
	return report_give(to, report, err);
}

const struct analysis analysis_nccl_waits = {
	.name = "gpu-collectives",
	.takes = ANALYSIS_COLLAPSE,
	.help = "calls of NCCL, and for whom GPUs waited in them",
	.run = run_collectives_analysis,
};
