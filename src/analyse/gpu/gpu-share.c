/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-share.c - what the summary says of GPUs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/gpu/gpu-findings.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/gpu/device-use.h"
#include "analyse/gpu/energy.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/gpu-tables.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/gpu/kernel-counters.h"
#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/gpu-calls.h"
#include "base/str.h"

#define WORTH_SAYING 0.05 /* of the time: idle */
#define GRAPHS       0.2  /* of the work: what is in them is worth a hint */
#define NEARLY_ALL   0.99 /* of a kernel: its path needs no share */
#define STARTED      0.01 /* of the time: that it was left out is said */
#define UNEVEN       1.2  /* times the mean, of a device */

/* Of a graph that ran as one, nobody knows what in it was a copy. */
static double time_of_graphs(const struct run *run,
			     const struct gpu_work_rows *kernels)
{
	double seconds = 0;

	for (size_t i = 0; i < kernels->count; i++)
		if (!strcmp(str_at(&run->strings, kernels->at[i].function),
			    "[graph]"))
			seconds += kernels->at[i].seconds;
	return seconds;
}

static void say_work(struct report *report, const struct gpu_busy *b,
		     double kernels, double graphs, double copies)
{
	char work[32], inside[32], moved[32], devices[32], in[64] = "";
	char of[96] = "";

	phrase_time(work, kernels - graphs);
	phrase_time(moved, copies);
	if (graphs > 0)
		snprintf(in, sizeof(in), ", %s of graphs",
			 phrase_time(inside, graphs));
	if (b->devices)
		snprintf(of, sizeof(of), "; %s busy for %.0f %% of the run%s",
			 phrase_plural(devices, b->devices, "GPU"),
			 100 * value_ratio(b->busy, b->elapsed),
			 b->shared ? ", by all that share it" : "");
	report_line(report, "GPUs: %s of kernels%s, %s of copies%s.%s", work,
		    in, moved, of,
		    graphs > GRAPHS * (kernels + copies)
			    ? " What of graphs is copies: copse run "
			      "--gpu-nodes=on."
			    : "");
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
			    "work%s%s: %s in %s (%.0f %% of it%s).",
			    100 * share,
			    !b->shared ? ""
			    : world    ? " of each rank"
				       : " of each process",
			    b->startup > STARTED * b->run ? " but start-up"
							  : "",
			    world ? "ranks were" : "the program was", text,
			    100 * fmin(value_ratio(seconds, idle), 1), called);
	free(called);
	free(text);
	return 0;
}

/* As far as it is known when devices worked. */
static int say_times(struct report *report, const struct paths *paths,
		     const struct gpu_busy *b)
{
	struct gpu_factors factors = gpu_factors_of(paths->run);
	int err;

	if (!b->devices)
		return 0;
	say_uneven(report, paths->run, b);
	err = say_gpu_idle(report, paths, b);
	gpu_factors_lines(report, &factors);
	return err;
}

/* "beta ← solve", or "beta, 76 % of that ← solve"; to be freed, or NULL. */
static char *hottest_text(const struct paths *paths, const struct gpu_row *path,
			  double all)
{
	char *name = paths_short(paths, path->path, 1);
	char *text = paths_short(paths, path->path, 4), *both = text;
	double share = value_ratio(path->seconds, all);

	if (name && text && share < NEARLY_ALL) {
		both = str_format("%s, %.0f %% of that%s", name, 100 * share,
				  text + strlen(name));
		free(text);
	}
	free(name);
	return both;
}

/* "; bound by memory", as far as its counters are known: of static text. */
static int hottest_bound(const struct paths *paths, uint32_t function,
			 char to[64])
{
	struct kernel_uses uses;
	int err = kernel_uses_init(&uses, paths, USE_BY_KERNEL);

	*to = '\0';
	for (size_t i = 0; i < uses.count && !err; i++) {
		const char *bound = uses.at[i].function == function
					    ? kernel_use_bound(&uses.at[i])
					    : NULL;

		if (bound)
			snprintf(to, 64, "; bound by %s", bound);
	}
	kernel_uses_fini(&uses);
	return err;
}

/* Phases and call paths split a kernel, which is one to who mends it. */
static int say_hottest(struct report *report, const struct paths *paths,
		       const struct gpu_work_rows *by_path, double all)
{
	struct gpu_work_rows by_name;
	int err = gpu_work_init(&by_name, paths, GPU_KERNELS, true);
	struct gpu_row first;
	size_t most = 0;
	char *text, bound[64];

	if (err)
		return err;
	first = by_name.at[0];
	gpu_work_fini(&by_name);
	err = hottest_bound(paths, first.function, bound);
	if (err)
		return err;
	while (by_path->at[most].function != first.function)
		most++;
	if (first.seconds < WORTH_SAYING * all)
		return 0;
	text = hottest_text(paths, &by_path->at[most], first.seconds);
	if (text)
		report_line(report, "%s of it, %.0f %%: %s%s.",
			    phrase_most_begins(value_ratio(first.seconds, all)),
			    100 * value_ratio(first.seconds, all), text, bound);
	free(text);
	return text ? 0 : no_memory();
}

/* Calls that failed, but those that asked whether they would. */
static int count_lost_calls(const struct paths *paths, double *failed)
{
	const struct strings *strings = &paths->run->strings;
	struct gpu_work_rows errors;
	int err = gpu_work_init(&errors, paths, GPU_ERRORS, true), number;

	*failed = 0;
	for (size_t i = 0; !err && i < errors.count; i++) {
		const struct gpu_row *row = &errors.at[i];

		if (sscanf(str_at(strings, row->function), "[error %d",
			   &number) != 1 ||
		    gpu_call_lost_work(str_at(strings, row->call), number))
			*failed += row->failed;
	}
	gpu_work_fini(&errors);
	return err;
}

static void say_calls(struct report *report, const struct gpu_row *calls,
		      double lost)
{
	char inside[32], waited[32], failed[32];

	if (calls->count <= 0)
		return;
	report_line(report,
		    "Calls of CUDA: %.0f, %s inside, %s of that waiting for "
		    "GPUs and copies.",
		    calls->count, phrase_time(inside, calls->seconds),
		    phrase_time(waited, calls->waited));
	if (lost > 0)
		report_line(report,
			    "! %s of CUDA failed (copse report gpu-api).",
			    phrase_many(failed, lost, "call"));
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
	double all, lost = 0;

	if (!err)
		err = gpu_work_init(&copies, paths, GPU_COPIES, false);
	if (!err)
		err = gpu_work_init(&calls, paths, GPU_CALLS, true);
	if (!err)
		err = count_lost_calls(paths, &lost);
	all = kernels.total.seconds + copies.total.seconds;
	say_known(report, paths->run);
	if (!err && all > 0) {
		say_work(report, &busy, kernels.total.seconds,
			 time_of_graphs(paths->run, &kernels),
			 copies.total.seconds);
		if (kernels.count)
			err = say_hottest(report, paths, &kernels, all);
		if (!err)
			err = say_times(report, paths, &busy);
	}
	if (!err) {
		say_calls(report, &calls.total, lost);
		gpu_unreported_line(report, paths->run);
	}
	if (!err)
		err = findings_gpu_collectives(report, paths);
	if (!err)
		err = energy_findings(report, paths);
	if (!err)
		device_use_findings(report, paths->run);
	if (!err)
		err = findings_gpu_memory(report, paths);
	gpu_work_fini(&kernels);
	gpu_work_fini(&copies);
	gpu_work_fini(&calls);
	return err;
}
