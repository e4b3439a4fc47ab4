/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-share.c - what the summary says of GPUs. */
#include <stdlib.h>

#include "analyse/findings.h"
#include "analyse/gpu-work.h"
#include "analyse/value.h"
#include "merge/path-sums.h"

/* Seconds that the processes ran which had work for GPUs; 0: not known. */
static double elapsed(const struct run *run)
{
	const struct run_metric *m = run_metric(run, "gpu.time");
	uint64_t *used = calloc(run->rank_count + 1, sizeof(*used));
	double sum = 0;

	if (used && m && !path_totals(run, m, used))
		for (size_t i = 0; i < run->rank_count; i++)
			if (used[i])
				sum += (double)run->ranks[i].elapsed_ns / 1e9;
	free(used);
	return sum;
}

static void say_work(struct report *report, const struct run *run,
		     double kernels, double copies)
{
	char work[32], moved[32];

	report_line(report,
		    "GPUs: %s of kernels, %s of copies; together %.0f %% of "
		    "the time that their processes ran (streams may overlap).",
		    value_time(work, kernels), value_time(moved, copies),
		    100 * value_ratio(kernels + copies, elapsed(run)));
}

static void say_hottest(struct report *report, const struct paths *paths,
			const struct gpu_work *by_path, double all)
{
	char *path = paths_short(paths, by_path->at[0].path, 4);

	report->failed |= !path;
	if (path)
		report_line(report, "Most of it, %.0f %%: %s.",
			    100 * value_ratio(by_path->at[0].seconds, all),
			    path);
	free(path);
}

static void say_calls(struct report *report, const struct gpu_row *calls)
{
	char inside[32], waited[32];

	if (calls->count <= 0)
		return;
	report_line(report,
		    "Calls of CUDA: %.0f, %s inside, %s of that waiting for "
		    "GPUs.",
		    calls->count, value_time(inside, calls->seconds),
		    value_time(waited, calls->waited));
	if (calls->failed > 0)
		report_line(report,
			    "! %.0f calls of CUDA failed (copse report "
			    "gpu-api).",
			    calls->failed);
}

int findings_gpu(struct report *report, const struct paths *paths)
{
	struct gpu_work kernels, copies = { 0 }, calls = { 0 };
	int err = gpu_work_init(&kernels, paths, GPU_KERNELS, false);
	double all;

	if (!err)
		err = gpu_work_init(&copies, paths, GPU_COPIES, false);
	if (!err)
		err = gpu_work_init(&calls, paths, GPU_CALLS, true);
	all = kernels.total.seconds + copies.total.seconds;
	if (!err && all > 0) {
		say_work(report, paths->run, kernels.total.seconds,
			 copies.total.seconds);
		if (kernels.count)
			say_hottest(report, paths, &kernels, all);
	}
	if (!err)
		say_calls(report, &calls.total);
	gpu_work_fini(&kernels);
	gpu_work_fini(&copies);
	gpu_work_fini(&calls);
	return err;
}
