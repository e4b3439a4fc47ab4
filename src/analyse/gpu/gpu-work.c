/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-work.c - gathers the nodes of GPU work and of calls of CUDA. */
#include "analyse/gpu/gpu-work.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/gpu/gpu-busy.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"
#include "live/layout.h"
#include "run/values.h"

/* Whatever is computed of it has no more time than that. */
static void note_known(struct report *report, const struct run *run)
{
	char *text = run->gpu.known_count ? gpu_known_text(run) : NULL;

	report->failed |= run->gpu.known_count && !text;
	if (text)
		report_note(report, "%s", text);
	free(text);
}

int gpu_report(struct report **to, const struct run *const runs[],
	       const struct analysis_options *options, const char *name,
	       int (*fill)(struct report *report, const struct paths *paths,
			   const struct analysis_options *options))
{
	struct paths paths;
	int err = analysis_one_run(runs, name);

	if (!err)
		err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	*to = analysis_report(name, runs[0], NULL);
	err = *to ? fill(*to, &paths, options) : -ENOMEM;
	if (!err)
		note_known(*to, runs[0]);
	if (!err)
		err = report_error(*to);
	paths_fini(&paths);
	return err;
}

void gpu_launch_cell(struct report *report, const struct paths *paths,
		     uint32_t path)
{
	char *text = paths_brief(paths, path);

	report->failed |= !text;
	report_text(report, text);
	free(text);
}

static double gpu_work_value(const struct run *run, enum metric metric,
			     uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric_infos[metric].name);

	return m ? value_node(m, node) : 0;
}

/* Over the processes that have one. */
static double extreme_of_work(const struct run *run, enum metric metric,
			      uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric_infos[metric].name);

	return m ? value_extreme(m, node) : 0;
}

static void fill_work(const struct run *run, uint32_t node, struct gpu_row *to)
{
	static const enum metric bytes[] = { METRIC_GPU_H2D, METRIC_GPU_D2H,
					     METRIC_GPU_D2D, METRIC_GPU_P2P,
					     METRIC_GPU_SET };

	to->seconds = gpu_work_value(run, METRIC_GPU_TIME, node);
	to->min = extreme_of_work(run, METRIC_GPU_MIN, node);
	to->max = extreme_of_work(run, METRIC_GPU_MAX, node);
	to->queued = gpu_work_value(run, METRIC_GPU_QUEUED, node);
	to->delay = gpu_work_value(run, METRIC_GPU_DELAY, node);
	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
		to->bytes += gpu_work_value(run, bytes[i], node);
}

static void fill_call(const struct run *run, uint32_t node, struct gpu_row *to)
{
	to->count = gpu_work_value(run, METRIC_GPU_CALLS, node);
	to->seconds = gpu_work_value(run, METRIC_GPU_CALL_TIME, node);
	to->min = extreme_of_work(run, METRIC_GPU_CALL_MIN, node);
	to->max = extreme_of_work(run, METRIC_GPU_CALL_MAX, node);
	to->waited = gpu_work_value(run, METRIC_GPU_WAIT, node);
}

/* A call's errors are its children: by call they are counted with it. */
static bool fill_error(const struct paths *paths, uint32_t node,
		       enum gpu_choice choice, struct gpu_row *to)
{
	const struct run *run = paths->run;
	uint32_t parent = run->nodes[node].parent;

	to->failed = gpu_work_value(run, METRIC_GPU_FAILED, node);
	if (choice == GPU_CALLS) {
		to->function = run->nodes[parent].function;
		to->path = paths->of[parent];
	} else {
		to->call = run->nodes[parent].function;
	}
	return to->failed > 0;
}

/* False: the node is none of the choice. */
static bool fill_gpu_row(const struct paths *paths, uint32_t node,
			 enum gpu_choice choice, struct gpu_row *to)
{
	const struct run *run = paths->run;

	switch (run->nodes[node].kind) {
	case RUN_GPU_ERROR:
		return (choice == GPU_ERRORS || choice == GPU_CALLS) &&
		       fill_error(paths, node, choice, to);
	case RUN_GPU_CALL:
		fill_call(run, node, to);
		return choice == GPU_CALLS && to->count > 0;
	case RUN_KERNEL:
		if (choice != GPU_KERNELS && choice != GPU_COPIES)
			return false;
		to->count = gpu_work_value(run,
					   choice == GPU_KERNELS
						   ? METRIC_GPU_LAUNCHES
						   : METRIC_GPU_COPIES,
					   node);
		fill_work(run, node, to);
		return to->count > 0;
	default:
		return false;
	}
}

static void add_gpu_row(struct gpu_row *to, const struct gpu_row *from)
{
	to->count += from->count;
	to->seconds += from->seconds;
	to->bytes += from->bytes;
	to->queued += from->queued;
	to->delay += from->delay;
	to->failed += from->failed;
	to->waited += from->waited;
	if (from->min > 0 && (to->min <= 0 || from->min < to->min))
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
}

ORDER_BY(by_gpu_work, struct gpu_row,
	 DESC(seconds) ?: ORDER(b->count + b->failed, a->count + a->failed) ?:
	 ASC(path))

static int collect_gpu_work(struct gpu_work_rows *work,
			    const struct paths *paths, enum gpu_choice choice,
			    bool by_name)
{
	const struct run *run = paths->run;
	struct map map = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < run->node_count; i++) {
		struct gpu_row one = { .path = paths->of[i],
				       .function = run->nodes[i].function };
		uint32_t at;

		if (!fill_gpu_row(paths, i, choice, &one))
			continue;
		at = map_put(&map, by_name ? one.function : one.path, one.call,
			     (uint32_t)work->count);
		if (at == MAP_NONE) {
			err = no_memory();
			break;
		}
		if (at == work->count)
			work->at[work->count++] =
				(struct gpu_row){ .path = one.path,
						  .function = one.function,
						  .call = one.call };
		add_gpu_row(&work->at[at], &one);
		add_gpu_row(&work->total, &one);
	}
	map_fini(&map);
	return err;
}

int gpu_work_init(struct gpu_work_rows *work, const struct paths *paths,
		  enum gpu_choice choice, bool by_name)
{
	int err;

	*work = (struct gpu_work_rows){ .at = calloc(paths->run->node_count + 1,
						     sizeof(*work->at)) };
	if (!work->at)
		return no_memory();
	err = collect_gpu_work(work, paths, choice, by_name);
	if (err)
		gpu_work_fini(work);
	else
		qsort(work->at, work->count, sizeof(*work->at), by_gpu_work);
	return err;
}

void gpu_work_fini(struct gpu_work_rows *work)
{
	free(work->at);
	*work = (struct gpu_work_rows){ 0 };
}

/* What each process has in the kernels of a name. */
static int add_kernels(const struct run *run, uint32_t function, uint64_t *sums)
{
	const struct run_metric *m =
		run_metric(run, metric_infos[METRIC_GPU_TIME].name);
	struct value_buffer buffer = { 0 };
	int err = 0;

	for (uint32_t i = 0; m && i < run->node_count && !err; i++)
		if (run->nodes[i].kind == RUN_KERNEL &&
		    run->nodes[i].function == function)
			err = values_add_up(run, m, i, &buffer, sums);
	value_buffer_fini(&buffer);
	return err;
}

/*
 * Seconds of the work of that name on each process of the run; to be freed,
 * NULL with a reason.
 */
static double *gpu_work_by_process(const struct run *run, uint32_t function)
{
	uint64_t *sums = calloc(run->rank_count + 1, sizeof(*sums));
	double *seconds = calloc(run->rank_count + 1, sizeof(*seconds));

	if (!sums || !seconds || add_kernels(run, function, sums)) {
		free(seconds);
		seconds = NULL;
	}
	for (size_t i = 0; seconds && i < run->rank_count; i++)
		seconds[i] = (double)sums[i] / 1e9;
	free(sums);
	return seconds;
}

uint32_t *gpu_work_members(const struct run *run, size_t *count)
{
	const struct run_gpu *g = &run->gpu;
	uint32_t *members = processes_members(run, count);

	if (!members || run->world || !g->rank_count)
		return members;
	*count = 0;
	for (size_t i = 0; i < g->rank_count; i++)
		if (g->ranks[i].rank < run->member_count)
			members[(*count)++] = g->ranks[i].rank;
	return members;
}

void gpu_work_skew(struct report *report, const struct run *run,
		   uint32_t function)
{
	double *sums = gpu_work_by_process(run, function), sum = 0;
	size_t count = 0, most = 0;
	uint32_t *members = gpu_work_members(run, &count);

	report->failed |= !sums || !members;
	for (size_t i = 0; sums && members && i < count; i++) {
		sum += sums[members[i]];
		if (sums[members[i]] > sums[members[most]])
			most = i;
	}
	if (!sums || !members || count < 2 || sum <= 0) {
		report_none(report);
		report_none(report);
	} else {
		report_number(report,
			      sums[members[most]] * (double)count / sum);
		report_count(report, processes_number(run, members[most]));
	}
	free(sums);
	free(members);
}
