/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-devices.c - each GPU once: how long it worked, who shared it, its streams
 * and what each context had each of them do.
 */
#include <math.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/base/value.h"
#include "base/comparison.h"
#include "live/layout.h"

#define NS 1e9

enum {
	ROWS = 20
};

static void busy_device_columns(struct report *report, const struct run *run)
{
	bool messages = false;

	report_table(report, "devices", "devices");
	report_column(report, "device", "GPU", COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "model", "model", COLUMN_TEXT);
	report_column(report, "uuid", NULL, COLUMN_TEXT);
	report_column(report, "instance", NULL, COLUMN_COUNT);
	report_column(report, "ranks", run->world ? "ranks" : "processes",
		      COLUMN_TEXT);
	report_column(report, "busy", "busy", COLUMN_SECONDS);
	report_column(report, "busy_share", "of run", COLUMN_SHARE);
	report_column(report, "busy_least", NULL, COLUMN_SECONDS);
	report_column(report, "busy_most", NULL, COLUMN_SECONDS);
	report_column(report, "idle", "idle between", COLUMN_SECONDS);
	report_column(report, "kernels", "kernels", COLUMN_SECONDS);
	report_column(report, "copies", "copies", COLUMN_SECONDS);
	report_column(report, "overlap", "overlap", COLUMN_SECONDS);
	for (size_t i = 0; i < run->gpu.device_count; i++)
		messages |= run->gpu.devices[i].exposed_ns > 0;
	report_column(report, "exposed", messages ? "NCCL alone" : NULL,
		      COLUMN_SECONDS);
	report_column(report, "at_once", "at once", COLUMN_NUMBER);
	report_column(report, "relative", "to mean", COLUMN_NUMBER);
	report_column(report, "elapsed", NULL, COLUMN_SECONDS);
}

/* The ranks that share a device, in a list. */
static void ranks_cell(struct report *report, const struct run *run,
		       uint32_t device)
{
	const struct run_gpu *g = &run->gpu;
	uint32_t *ranks = calloc(g->share_count + 1, sizeof(*ranks));
	char *text;
	size_t count = 0;

	for (size_t i = 0; ranks && i < g->share_count; i++)
		if (g->shares[i].device == device)
			ranks[count++] = g->shares[i].rank;
	text = ranks ? processes_list(run, ranks, count) : NULL;
	report->failed |= !text;
	report_text(report, text);
	free(text);
	free(ranks);
}

static void device_row(struct report *report, const struct run *run, size_t i,
		       double mean)
{
	const struct run_device *d = &run->gpu.devices[i];
	double elapsed = fmax(d->elapsed_ns, d->busy_ns);

	report_count(report, d->id);
	report_text(report, str_at(&run->strings, d->host));
	report_text(report, str_at(&run->strings, d->name));
	report_text(report, str_at(&run->strings, d->uuid));
	value_count(report, d->instance >= 0 ? d->instance : NO_VALUE);
	ranks_cell(report, run, (uint32_t)i);
	report_number(report, d->busy_ns / NS);
	report_number(report, value_ratio(d->busy_ns, elapsed));
	report_number(report, d->busy_least_ns / NS);
	report_number(report, d->busy_most_ns / NS);
	report_number(report,
		      fmax(fmin(d->span_ns, elapsed) - d->busy_ns, 0) / NS);
	report_number(report, d->kernels_ns / NS);
	report_number(report, d->copies_ns / NS);
	report_number(report, d->overlap_ns / NS);
	report_number(report, d->exposed_ns / NS);
	report_number(report, value_ratio(d->kernels_sum_ns, d->kernels_ns));
	report_number(report, value_ratio(d->busy_ns / NS, mean));
	report_number(report, elapsed / NS);
}

static void busy_device_table(struct report *report, const struct run *run,
			      const struct gpu_busy *busy,
			      const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, run->gpu.device_count);

	busy_device_columns(report, run);
	for (size_t i = 0; i < limit; i++)
		device_row(report, run, i, busy->mean);
}

static void share_table(struct report *report, const struct run *run,
			const struct analysis_options *options)
{
	const struct run_gpu *g = &run->gpu;
	size_t limit = analysis_limit(options, ROWS, g->share_count);

	if (g->share_count <= g->device_count)
		return;
	report_table(report, "shares", "who shared them");
	report_column(report, "device", "GPU", COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "rank", processes_noun(run), COLUMN_COUNT);
	report_column(report, "busy", "busy", COLUMN_SECONDS);
	report_column(report, "kernels", "kernels", COLUMN_SECONDS);
	report_column(report, "copies", "copies", COLUMN_SECONDS);
	for (size_t i = 0; i < limit; i++) {
		const struct run_share *s = &g->shares[i];
		const struct run_device *d = &g->devices[s->device];

		report_count(report, d->id);
		report_text(report, str_at(&run->strings, d->host));
		report_count(report, processes_number(run, s->rank));
		report_number(report, (double)s->busy_ns / NS);
		report_number(report, (double)s->kernels_ns / NS);
		report_number(report, (double)s->copies_ns / NS);
	}
}

ORDER_POINTERS_BY(by_busy, struct run_stream, DESC(busy_ns) ?: ORDER(a, b))

static void stream_row(struct report *report, const struct run *run,
		       const struct run_stream *s)
{
	bool others = s->device == UINT32_MAX;

	value_count(report, others ? NO_VALUE : run->gpu.devices[s->device].id);
	report_count(report, processes_number(run, s->rank));
	if (others) {
		report_none(report);
		report_none(report);
	} else {
		report_count(report, s->context);
		report_count(report, s->stream);
	}
	report_count(report, s->kernels);
	report_count(report, s->copies);
	report_number(report, (double)s->busy_ns / NS);
	report_number(report,
		      value_ratio((double)s->busy_ns, (double)s->span_ns));
}

static void stream_table(struct report *report, const struct run *run,
			 const struct analysis_options *options)
{
	const struct run_gpu *g = &run->gpu;
	size_t limit = analysis_limit(options, ROWS, g->stream_count);
	const struct run_stream **sorted =
		calloc(g->stream_count + 1, sizeof(struct run_stream *));

	report->failed |= !sorted;
	for (size_t i = 0; sorted && i < g->stream_count; i++)
		sorted[i] = &g->streams[i];
	if (sorted && g->stream_count)
		qsort(sorted, g->stream_count, sizeof(*sorted), by_busy);
	report_table(report, "streams", "streams");
	report_column(report, "device", "GPU", COLUMN_COUNT);
	report_column(report, "rank", processes_noun(run), COLUMN_COUNT);
	report_column(report, "context", "context", COLUMN_COUNT);
	report_column(report, "stream", "stream", COLUMN_COUNT);
	report_column(report, "kernels", "kernels", COLUMN_COUNT);
	report_column(report, "copies", "copies", COLUMN_COUNT);
	report_column(report, "busy", "busy", COLUMN_SECONDS);
	report_column(report, "busy_share", "of its span", COLUMN_SHARE);
	for (size_t i = 0; sorted && i < limit; i++)
		stream_row(report, run, sorted[i]);
	free(sorted);
}

/* What contexts had each device do: for readers when there are several. */
static void work_table(struct report *report, const struct paths *paths,
		       const struct analysis_options *options)
{
	const struct run *run = paths->run;
	const struct run_gpu *g = &run->gpu;
	size_t limit = analysis_limit(options, ROWS, g->work_count);
	bool several = g->device_count > 1;
	static const struct {
		const char *id, *title;
		enum column_type type;
	} columns[] = {
		{ "work", "work", COLUMN_TEXT },
		{ "device", "GPU", COLUMN_COUNT },
		{ "host", NULL, COLUMN_TEXT },
		{ "call_path", "call path", COLUMN_TEXT },
		{ "count", "count", COLUMN_COUNT },
		{ "seconds", "time", COLUMN_SECONDS },
	};

	report_table(report, "ondevice", several ? "work by device" : NULL);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		report_column(report, columns[i].id,
			      several ? columns[i].title : NULL,
			      columns[i].type);
	for (size_t i = 0; i < limit; i++) {
		const struct run_work *w = &g->works[i];
		const struct run_device *d = &g->devices[w->device];

		report_text(report, paths_function(run, w->node));
		report_count(report, d->id);
		report_text(report, str_at(&run->strings, d->host));
		paths_cell(report, paths, paths->of[w->node]);
		report_count(report, w->count);
		report_number(report, (double)w->ns / NS);
	}
}

static void say_gpu_busy(struct report *report, const struct gpu_busy *b)
{
	char busy[32];

	if (!b->devices) {
		report_line(report,
			    "No GPU was used, or its times are not known.");
		return;
	}
	report_line(report, "%zu GPU%s worked for %s: %.0f %% of the time.",
		    b->devices, b->devices > 1 ? "s" : "",
		    phrase_time(busy, b->busy),
		    100 * value_ratio(b->busy, b->elapsed));
	if (b->late_count)
		report_note(report,
			    "%llu pieces of work came out of order: up to %s "
			    "of them may be missing in busy times.",
			    (unsigned long long)b->late_count,
			    phrase_time(busy, b->late));
}

static void shared_note(struct report *report, const struct run *run)
{
	for (size_t i = 0; i < run->gpu.device_count; i++)
		if (run->gpu.devices[i].shares > 1) {
			report_note(report,
				    "The busy time of a GPU that several %s "
				    "share is an estimate between busy_least "
				    "and busy_most; kernels, copies and "
				    "overlap are sums over them.",
				    run->world ? "ranks" : "processes");
			return;
		}
}

static int fill_gpu_devices(struct report *report, const struct paths *paths,
			    const struct analysis_options *options)
{
	const struct run *run = paths->run;
	struct gpu_busy busy = gpu_busy_of(run);

	say_gpu_busy(report, &busy);
	busy_device_table(report, run, &busy, options);
	share_table(report, run, options);
	stream_table(report, run, options);
	work_table(report, paths, options);
	shared_note(report, run);
	return 0;
}

GPU_ANALYSIS(gpu_devices, "gpu-devices",
	     "how long GPUs and their streams worked, and who shared them",
	     fill_gpu_devices)
