/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-share.c - what the summary says of GPUs. */
#include <math.h>
#include <stdlib.h>

#include "analyse/gpu/gpu-findings.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/gpu/energy.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/gpu-tables.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/base/phrase.h"
#include "analyse/base/value.h"

#define WORTH_SAYING 0.05 /* of the time: idle */
#define UNEVEN       1.2  /* times the mean, of a device */

static void say_work(struct report *report, const struct gpu_busy *b,
		     double kernels, double copies)
{
	char work[32], moved[32], devices[32];

	phrase_time(work, kernels);
	phrase_time(moved, copies);
	if (b->devices)
		report_line(report,
			    "GPUs: %s of kernels, %s of copies; %s busy for "
			    "%.0f %% of the run%s.",
			    work, moved,
			    phrase_plural(devices, b->devices, "GPU"),
			    100 * value_ratio(b->busy, b->elapsed),
			    b->shared ? ", by all that share it" : "");
	else
		report_line(report, "GPUs: %s of kernels, %s of copies.", work,
			    moved);
}

static void say_uneven(struct report *report, const struct run *run,
		       const struct gpu_busy *b)
{
	double times = value_ratio(b->most, b->mean);
	char *name;

	if (b->devices < 2 || times < UNEVEN)
		return;
	name = gpu_device_name(run, b->most_device);
	report->failed |= !name;
	if (name)
		report_line(report, "%s was busy %.1f times the mean.", name,
			    times);
	free(name);
}

/*
 * "GPUs idle 38 % of the time from first to last work: ranks were in
 * MPI_Allreduce ← exchange (62 % of it)."
 */
static int say_gpu_idle(struct report *report, const struct paths *paths,
			const struct gpu_busy *b)
{
	double idle = b->between, share, seconds;
	bool world = paths->run->world;
	uint32_t path;
	char *text, *called;
	int err = gpu_idle_cause(paths, &path, &seconds);

	share = value_ratio(idle, idle + b->work);
	if (err || share < WORTH_SAYING || seconds <= 0)
		return err;
	text = paths_short(paths, path, 4);
	called = gpu_idle_called(paths, path, idle);
	report->failed |= !text || !called;
	if (text && called)
		report_line(report,
			    "GPUs idle %.0f %% of the time from first to last "
			    "work%s: %s in %s (%.0f %% of it%s).",
			    100 * share,
			    !b->shared ? ""
			    : world    ? " of each rank"
				       : " of each process",
			    world ? "ranks were" : "the program was", text,
			    100 * fmin(value_ratio(seconds, idle), 1), called);
	free(called);
	free(text);
	return 0;
}

static void say_bound(struct report *report, const struct gpu_busy *b,
		      const struct gpu_row *kernels)
{
	char mean[32];

	if (kernels->count <= 0 || !gpu_busy_launch_bound(b))
		return;
	phrase_time(mean, value_ratio(kernels->seconds, kernels->count));
	report_line(report,
		    "Launch-bound: between their first and last work GPUs were "
		    "idle for %.0f %%, %.0f %% of that in launches; a kernel "
		    "takes %s.",
		    100 * value_ratio(b->idle, b->idle + b->work),
		    100 * fmin(value_ratio(b->launching, b->idle), 1), mean);
}

/* As far as it is known when devices worked. */
static int say_times(struct report *report, const struct paths *paths,
		     const struct gpu_busy *b, const struct gpu_row *kernels)
{
	struct gpu_factors factors = gpu_factors_of(paths->run);
	int err;

	if (!b->devices)
		return 0;
	say_uneven(report, paths->run, b);
	err = say_gpu_idle(report, paths, b);
	say_bound(report, b, kernels);
	gpu_factors_lines(report, &factors);
	return err;
}

static void say_hottest(struct report *report, const struct paths *paths,
			const struct gpu_work_rows *by_path, double all)
{
	char *path = paths_short(paths, by_path->at[0].path, 4);
	double share = value_ratio(by_path->at[0].seconds, all);

	report->failed |= !path;
	if (path)
		report_line(report, "%s of it, %.0f %%: %s.",
			    phrase_most_begins(share), 100 * share, path);
	free(path);
}

static void say_calls(struct report *report, const struct gpu_row *calls)
{
	char inside[32], waited[32], failed[32];

	if (calls->count <= 0)
		return;
	report_line(report,
		    "Calls of CUDA: %.0f, %s inside, %s of that waiting for "
		    "GPUs and copies.",
		    calls->count, phrase_time(inside, calls->seconds),
		    phrase_time(waited, calls->waited));
	if (calls->failed > 0)
		report_line(report,
			    "! %s of CUDA failed (copse report gpu-api).",
			    phrase_many(failed, calls->failed, "call"));
}

static void say_known(struct report *report, const struct run *run)
{
	char *text = run->gpu.known_count ? gpu_known_text(run) : NULL;

	report->failed |= run->gpu.known_count && !text;
	if (text)
		report_line(report, "! %s", text);
	free(text);
}

int findings_gpu(struct report *report, const struct paths *paths)
{
	struct gpu_work_rows kernels, copies = { 0 }, calls = { 0 };
	int err = gpu_work_init(&kernels, paths, GPU_KERNELS, false);
	struct gpu_busy busy = gpu_busy_of(paths->run);
	double all;

	if (!err)
		err = gpu_work_init(&copies, paths, GPU_COPIES, false);
	if (!err)
		err = gpu_work_init(&calls, paths, GPU_CALLS, true);
	all = kernels.total.seconds + copies.total.seconds;
	say_known(report, paths->run);
	if (!err && all > 0) {
		say_work(report, &busy, kernels.total.seconds,
			 copies.total.seconds);
		if (kernels.count)
			say_hottest(report, paths, &kernels, all);
		err = say_times(report, paths, &busy, &kernels.total);
	}
	if (!err) {
		say_calls(report, &calls.total);
		gpu_unreported_line(report, paths->run);
	}
	if (!err)
		err = findings_gpu_collectives(report, paths);
	if (!err)
		err = energy_findings(report, paths);
	if (!err)
		err = findings_gpu_memory(report, paths);
	gpu_work_fini(&kernels);
	gpu_work_fini(&copies);
	gpu_work_fini(&calls);
	return err;
}
