/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-trace.c - what GPUs did, piece by piece, in a part of the time: streams,
 * communication, gaps, and the work in the order of time (--gpu-trace).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/gpu/slice-view.h"
#include "analyse/paths/paths.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "live/layout.h"

enum {
	ROWS = 30,
	GAPS = 10,
};

#define NS 1e9

/*
 * Sentences.
 */

/* Of all processes together. */
static void say_slices_kept(struct report *report, const struct run *run)
{
	const struct run_slices *t = &run->slices;
	char work[32], calls[32], ranges[32], processes[32], lost[32];
	uint64_t all_lost = 0, whole = 0;
	char from[32];

	for (size_t i = 0; i < t->window_count; i++) {
		all_lost += t->windows[i].lost;
		if (t->windows[i].whole_ns > whole)
			whole = t->windows[i].whole_ns;
	}
	phrase_many(work, (double)t->work_count, "piece");
	phrase_many(calls, (double)t->call_count, "call");
	phrase_many(ranges, (double)t->range_count, "range");
	phrase_plural(processes, t->window_count, processes_noun(run));
	if (!all_lost)
		report_line(report,
			    "Kept: %s of work, %s of CUDA and %s of %s; none "
			    "was lost.",
			    work, calls, ranges, processes);
	else
		report_line(report,
			    "Kept: the last %s of work, %s of CUDA and %s of "
			    "%s. %s before these had no room: all is there "
			    "from %s on (--gpu-trace).",
			    work, calls, ranges, processes,
			    phrase_many(lost, (double)all_lost, "other"),
			    phrase_time(from, (double)whole / NS));
}

static void say_ranges_kept(struct report *report, const struct run *run)
{
	const struct run_slices *t = &run->slices;
	size_t never = 0, kept = 0;

	for (size_t i = 0; i < t->window_count; i++) {
		never += t->windows[i].begin_ns == UINT64_MAX;
		kept += t->windows[i].begin_ns &&
			t->windows[i].begin_ns != UINT64_MAX;
	}
	if (kept)
		report_line(report, "Only what was launched in the ranges of "
				    "--gpu-trace-range is kept.");
	if (never)
		report_line(report,
			    "! %zu of %zu processes had no such ranges as "
			    "--gpu-trace-range names: nothing of them is kept.",
			    never, t->window_count);
}

static void say_view(struct report *report, const struct slice_view *view)
{
	char from[32], took[32];
	uint64_t ns = view->all.until - view->all.from;

	if (!ns)
		return;
	report_line(report, "%s%s%s from %s on, %s long.",
		    view->what ? "Shown: " : "All of it", view->what ?: "",
		    view->what ? "," : "",
		    phrase_time(from, (double)view->all.from / NS),
		    phrase_time(took, (double)ns / NS));
}

/*
 * Streams.
 */

struct traced_stream {
	uint32_t rank, device, context, stream;
	uint64_t kernels, copies, kernels_ns, copies_ns;
	uint64_t busy_ns, until; /* the union, as far as it goes */
};

ORDER_BY(by_traced_stream, struct traced_stream,
	 ASC(rank) ?: ASC(device) ?: DESC(busy_ns) ?: ASC(stream))

static void add_traced_work(struct traced_stream *s,
			    const struct slice_view *view,
			    const struct run_slice *w)
{
	uint64_t ns = slice_view_part(view, w->rank, w->start_ns, w->ns);
	uint64_t end = w->start_ns + w->ns;
	bool copies = w->kind >= LIVE_GPU_TO;

	s->kernels += !copies;
	s->copies += copies;
	s->kernels_ns += copies ? 0 : ns;
	s->copies_ns += copies ? ns : 0;
	if (end > s->until) {
		uint64_t from = w->start_ns > s->until ? w->start_ns : s->until;

		s->busy_ns += slice_view_part(view, w->rank, from, end - from);
		s->until = end;
	}
}

static int find_streams(const struct slice_view *view,
			struct traced_stream **to, size_t *count)
{
	const struct run_slices *t = &view->run->slices;
	struct map map = { 0 };
	size_t room = 0;
	bool ok = true;

	*to = NULL;
	*count = 0;
	for (size_t i = 0; i < t->work_count && ok; i++) {
		const struct run_slice *w = &t->work[i];
		struct traced_stream new = { w->rank, w->device, w->context,
					     w->stream };
		uint32_t at;

		if (!slice_view_has(view, w))
			continue;
		at = map_put(&map, (uint64_t)w->rank << 32 | w->device,
			     (uint64_t)w->context << 32 | w->stream,
			     (uint32_t)*count);
		ok = at != MAP_NONE &&
		     (at < *count ||
		      array_append(to, count, &room, sizeof(new), &new));
		if (ok)
			add_traced_work(&(*to)[at], view, w);
	}
	map_fini(&map);
	if (*count)
		qsort(*to, *count, sizeof(**to), by_traced_stream);
	return ok ? 0 : no_memory();
}

static void rank_column(struct report *report, const struct run *run)
{
	report_column(report, "rank",
		      run->slices.window_count > 1 ? processes_noun(run) : NULL,
		      COLUMN_COUNT);
}

static double span_seconds(const struct slice_view *view, uint32_t rank)
{
	return (double)(view->of[rank].until - view->of[rank].from) / NS;
}

static int traced_stream_table(struct report *report,
			       const struct slice_view *view,
			       const struct analysis_options *options)
{
	struct traced_stream *streams;
	size_t count, limit;
	int err = find_streams(view, &streams, &count);

	limit = analysis_limit(options, ROWS, count);
	report_table(report, "streams", "streams");
	rank_column(report, view->run);
	report_column(report, "device", "GPU", COLUMN_COUNT);
	report_column(report, "context", NULL, COLUMN_COUNT);
	report_column(report, "stream", "stream", COLUMN_COUNT);
	report_column(report, "kernels", "kernels", COLUMN_COUNT);
	report_column(report, "kernels_time", "time", COLUMN_SECONDS);
	report_column(report, "copies", "copies", COLUMN_COUNT);
	report_column(report, "copies_time", "time", COLUMN_SECONDS);
	report_column(report, "busy", "busy", COLUMN_SECONDS);
	report_column(report, "share", "of the time", COLUMN_SHARE);
	for (size_t i = 0; i < limit && !err; i++) {
		const struct traced_stream *s = &streams[i];

		report_count(report, processes_number(view->run, s->rank));
		report_count(report, s->device);
		report_count(report, s->context);
		report_count(report, s->stream);
		report_count(report, s->kernels);
		report_number(report, (double)s->kernels_ns / NS);
		report_count(report, s->copies);
		report_number(report, (double)s->copies_ns / NS);
		report_number(report, (double)s->busy_ns / NS);
		report_number(report, value_ratio((double)s->busy_ns / NS,
						  span_seconds(view, s->rank)));
	}
	free(streams);
	return err;
}

/*
 * Communication.
 */

static int message_table(struct report *report, const struct slice_view *view)
{
	struct slice_message *messages;
	size_t count;
	int err = slice_messages(view, &messages, &count);

	report_table(report, "messages", count ? "kernels of NCCL" : NULL);
	report_column(report, "call", "call", COLUMN_TEXT);
	report_column(report, "count", "count", COLUMN_COUNT);
	report_column(report, "bytes", "size", COLUMN_BYTES);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "hidden", "hidden", COLUMN_SECONDS);
	report_column(report, "hidden_share", "of it", COLUMN_SHARE);
	report_column(report, "exposed", "exposed", COLUMN_SECONDS);
	for (size_t i = 0; i < count && !err; i++) {
		const struct slice_message *m = &messages[i];

		report_text(report, slice_name(view->run, m->first));
		report_count(report, m->count);
		report_count(report, m->bytes);
		report_number(report, (double)m->ns / NS);
		report_number(report, (double)m->hidden_ns / NS);
		report_number(report,
			      value_ratio((double)m->hidden_ns, (double)m->ns));
		report_number(report, (double)(m->ns - m->hidden_ns) / NS);
	}
	free(messages);
	return err;
}

/* The line that called, and who that was, without the call itself. */
static void launch_cells(struct report *report, const struct paths *paths,
			 const struct run_slice *w)
{
	const struct run *run = paths->run;
	uint32_t path = paths_caller(paths, paths->of[w->node]);
	const struct run_node *call = &run->nodes[run->nodes[w->node].parent];
	char *place =
		call->line ? paths_place(run, call->file, call->line) : NULL;

	report_text(report, place);
	free(place);
	gpu_launch_cell(report, paths,
			run->nodes[paths->at[path].node].kind == RUN_GPU_CALL
				? paths_caller(paths, path)
				: path);
}

/*
 * Gaps.
 */

/* "launched before: the device's own", "in cudaMalloc 2.00 ms"; to be freed. */
static char *gap_text(const struct run *run, const struct slice_gap *gap)
{
	char time[32];

	if (gap->queued)
		return str_format("the GPU: launched before");
	if (!gap->after->launched_ns)
		return str_format("not known");
	if (gap->call && 2 * gap->call_ns >= gap->ns)
		return str_format("in %s, %s",
				  paths_function(run, gap->call->node),
				  phrase_time(time, (double)gap->call_ns / NS));
	return str_format("outside of CUDA");
}

static void gap_cells(struct report *report, const struct paths *paths,
		      const struct slice_view *view,
		      const struct slice_gap *gap)
{
	const struct run *run = view->run;
	char *text = gap_text(run, gap);

	report_count(report, processes_number(run, gap->after->rank));
	report_count(report, gap->after->device);
	report_number(report, (double)gap->from / NS);
	report_number(report, (double)gap->ns / NS);
	report_text(report, slice_name(run, gap->before));
	report_text(report, slice_name(run, gap->after));
	report->failed |= !text;
	report_text(report, text);
	report_text(report, gap->range ? str_at(&run->strings, gap->range->name)
				       : NULL);
	launch_cells(report, paths, gap->after);
	free(text);
}

static int gap_table(struct report *report, const struct paths *paths,
		     const struct slice_view *view,
		     const struct analysis_options *options)
{
	struct slice_gap *gaps;
	size_t count, limit;
	bool ranges = view->run->slices.range_count > 0;
	int err = slice_gaps(view, &gaps, &count);

	limit = analysis_limit(options, GAPS, count);
	report_table(report, "gaps", count ? "the longest gaps" : NULL);
	rank_column(report, view->run);
	report_column(report, "device", "GPU", COLUMN_COUNT);
	report_column(report, "at", "at", COLUMN_SECONDS);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_key(report);
	report_column(report, "before", "after", COLUMN_TEXT);
	report_column(report, "after", "until", COLUMN_TEXT);
	report_column(report, "host", "its host was", COLUMN_TEXT);
	report_column(report, "range", ranges ? "range" : NULL, COLUMN_TEXT);
	report_column(report, "line", NULL, COLUMN_TEXT);
	report_column(report, "launched_by", NULL, COLUMN_TEXT);
	for (size_t i = 0; i < limit && !err; i++) {
		slice_gap_explain(view, &gaps[i]);
		gap_cells(report, paths, view, &gaps[i]);
	}
	free(gaps);
	return err;
}

/*
 * Work.
 */

static void traced_columns(struct report *report, const struct run *run)
{
	rank_column(report, run);
	report_column(report, "at", NULL, COLUMN_SECONDS);
	report_column(report, "since", "at", COLUMN_SECONDS);
	report_key(report);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "delay", "delay", COLUMN_SECONDS);
	report_column(report, "device", "GPU", COLUMN_COUNT);
	report_column(report, "stream", "stream", COLUMN_COUNT);
	report_column(report, "bytes", NULL, COLUMN_BYTES);
	report_column(report, "thread", NULL, COLUMN_COUNT);
	report_column(report, "work", "work", COLUMN_TEXT);
	report_column(report, "line", "line", COLUMN_TEXT);
	report_column(report, "launched_by", "launched by", COLUMN_TEXT);
}

static void traced_cells(struct report *report, const struct paths *paths,
			 const struct slice_view *view,
			 const struct run_slice *w)
{
	double start = (double)w->start_ns / NS;

	report_count(report, processes_number(view->run, w->rank));
	report_number(report, start);
	report_number(report, start - (double)view->all.from / NS);
	report_number(report, (double)w->ns / NS);
	value_known(report,
		    w->launched_ns && w->launched_ns <= w->start_ns
			    ? (double)(w->start_ns - w->launched_ns) / NS
			    : NO_VALUE);
	report_count(report, w->device);
	report_count(report, w->stream);
	report_count(report, w->bytes);
	report_count(report, w->thread);
	report_text(report, slice_name(view->run, w));
	launch_cells(report, paths, w);
}

ORDER_POINTERS_BY(by_time_of_run, struct run_slice,
		  ASC(start_ns) ?: ASC(rank) ?: ASC(stream))

/* All processes in one order. */
static int traced_work_table(struct report *report, const struct paths *paths,
			     const struct slice_view *view,
			     const struct analysis_options *options)
{
	const struct run_slices *t = &view->run->slices;
	const struct run_slice **rows =
		calloc(t->work_count + 1, sizeof(*rows));
	size_t count = 0, limit;

	if (!rows)
		return no_memory();
	for (size_t i = 0; i < t->work_count; i++)
		if (slice_view_has(view, &t->work[i]))
			rows[count++] = &t->work[i];
	qsort(rows, count, sizeof(*rows), by_time_of_run);
	limit = analysis_limit(options, ROWS, count);
	report_table(report, "work", "work, in the order of time");
	traced_columns(report, view->run);
	for (size_t i = 0; i < limit; i++)
		traced_cells(report, paths, view, rows[i]);
	if (limit < count)
		report_note(report,
			    "%zu pieces of work follow; -n 0 shows all, "
			    "--window a part of the time.",
			    count - limit);
	free(rows);
	return 0;
}

static int fill_gpu_trace(struct report *report, const struct paths *paths,
			  const struct analysis_options *options)
{
	const struct run *run = paths->run;
	struct slice_view view;
	int err = slice_view_init(&view, run, options->window);

	if (!err && !run->slices.axis_count)
		report_line(report, "There is no trace of GPUs: copse run "
				    "--gpu-trace 16 keeps one, in 16 MiB for "
				    "each process.");
	if (!err && run->slices.axis_count) {
		say_slices_kept(report, run);
		say_ranges_kept(report, run);
		say_view(report, &view);
	}
	if (!err)
		err = traced_stream_table(report, &view, options);
	if (!err)
		err = message_table(report, &view);
	if (!err)
		err = gap_table(report, paths, &view, options);
	if (!err)
		err = traced_work_table(report, paths, &view, options);
	slice_view_fini(&view);
	return err;
}

static int run_gpu_trace(struct report **to, const struct run *const runs[],
			 const struct analysis_options *options)
{
	return gpu_report(to, runs, options, "gpu-trace", fill_gpu_trace);
}

const struct analysis analysis_gpu_trace = {
	.name = "gpu-trace",
	.help = "what GPUs did, piece by piece, and their gaps (--gpu-trace)",
	.takes = ANALYSIS_COLLAPSE | ANALYSIS_WINDOW,
	.run = run_gpu_trace,
};
