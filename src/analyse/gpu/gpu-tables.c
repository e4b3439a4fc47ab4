/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-tables.c - tables of gpu-kernels that are not of kernels: what became of
 * CUPTI's records, ranges of NVTX, and how even kernels' paths are.
 */
#include "analyse/gpu/gpu-tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"
#include "base/str.h"
#include "live/layout.h"
#include "run/path-sums.h"

/* Records */

/* Losses that are records of work, and those whose work is counted all the
 * same, below a node for the reason. */
static const struct {
	enum loss loss;
	bool counted;
} reasons[] = {
	{ LOSS_GPU_UNSEEN, true },      { LOSS_GPU_NO_PATH, true },
	{ LOSS_GPU_LATE, true },        { LOSS_GPU_TIMES, false },
	{ LOSS_GPU_DROPPED, false },    { LOSS_GPU_FULL, false },
	{ LOSS_GPU_UNREPORTED, false },
};

double gpu_lost(const struct run *run, enum loss loss)
{
	double sum = 0;

	for (size_t i = 0; i < run->loss_count; i++)
		if (!strcmp(str_at(&run->strings, run->losses[i].name),
			    loss_infos[loss].name))
			sum += (double)run->losses[i].count;
	return sum;
}

void gpu_losses_notes(struct report *report, const struct run *run,
		      const char *begin)
{
	for (enum loss i = 0; i < LOSS_COUNT; i++) {
		double count = strncmp(loss_infos[i].name, begin, strlen(begin))
				       ? 0
				       : gpu_lost(run, i);

		if (count > 0)
			report_note(report, "%s: %.0f %s.", loss_infos[i].name,
				    count, loss_infos[i].help);
	}
}

/* After a fault CUPTI has no times of what it had not told before. */
bool gpu_unreported_line(struct report *report, const struct run *run)
{
	double unreported = gpu_lost(run, LOSS_GPU_UNREPORTED);
	double timeless = gpu_lost(run, LOSS_GPU_TIMES);
	char launches[32], records[32];

	if (unreported > 0)
		report_line(
			report,
			"! What %s did on GPUs is not known (gpu.unreported).",
			phrase_many(launches, unreported, "launch"));
	if (timeless > 0)
		report_line(report,
			    "! The times of %s of GPU work are not known "
			    "(gpu.times): a fault takes those that CUPTI had "
			    "not told.",
			    phrase_many(records, timeless, "record"));
	return unreported > 0 || timeless > 0;
}

static double gpu_total(const struct run *run, enum metric metric)
{
	const struct run_metric *m = run_metric(run, metric_infos[metric].name);
	double sum = 0;

	for (uint32_t i = 0; m && i < run->node_count; i++)
		sum += value_node(m, i);
	return sum;
}

/* Of no records there is no share; attributed < 0: not known. */
static void records_row(struct report *report, const char *what, double records,
			double attributed, double all)
{
	report_text(report, what);
	value_cell(report, UNIT_COUNT, records);
	value_known(report, all > 0 ? records / all : NO_VALUE);
	value_known(report,
		    all > 0 && attributed >= 0 ? attributed / all : NO_VALUE);
}

void gpu_records_table(struct report *report, const struct run *run)
{
	double counted = gpu_total(run, METRIC_GPU_LAUNCHES) +
			 gpu_total(run, METRIC_GPU_COPIES);
	double all = counted, without = 0;
	size_t count = sizeof(reasons) / sizeof(*reasons);
	bool said;

	for (size_t i = 0; i < count; i++) {
		double one = gpu_lost(run, reasons[i].loss);

		without += one;
		all += reasons[i].counted ? 0 : one;
	}
	said = without > 0;
	report_table(report, "records", said ? "records of work" : NULL);
	report_column(report, "what", said ? "records" : NULL, COLUMN_TEXT);
	report_column(report, "records", said ? "count" : NULL, COLUMN_COUNT);
	report_column(report, "share", said ? "share" : NULL, COLUMN_SHARE);
	report_column(report, "attributed", NULL, COLUMN_SHARE);
	records_row(report, "all", all, all - without, all);
	for (size_t i = 0; i < count; i++) {
		double one = gpu_lost(run, reasons[i].loss);

		if (one > 0)
			records_row(report, loss_infos[reasons[i].loss].name,
				    one, -1, all);
	}
}

/* Ranges */

struct nvtx_range {
	uint32_t name; /* string */
	double calls, seconds;
	bool across; /* started and ended, not pushed and popped */
};

struct range_sums {
	struct nvtx_range *at;
	size_t count;
	struct map map;
};

static struct nvtx_range *find_range(struct range_sums *to, uint32_t name,
				     bool across)
{
	uint32_t at = map_put(&to->map, name, across, (uint32_t)to->count);

	if (at == MAP_NONE)
		return NULL;
	if (at == to->count)
		to->at[to->count++] = (struct nvtx_range){ name, 0, 0, across };
	return &to->at[at];
}

/* A range inside one of its own name is part of that one's time. */
static bool inside_itself(const struct run *run, uint32_t node)
{
	uint32_t name = run->nodes[node].function;

	for (uint32_t n = run->nodes[node].parent; n; n = run->nodes[n].parent)
		if (run->nodes[n].kind == RUN_PHASE &&
		    run->nodes[n].function == name)
			return true;
	return false;
}

static double inclusive_total(const struct run *run, const struct run_metric *m,
			      uint32_t node)
{
	double sum = m ? value_node(m, node) : 0;

	for (uint32_t n = node + 1;
	     m && n < run->node_count && run->nodes[n].parent >= node; n++)
		sum += value_node(m, n);
	return sum;
}

static int add_range(struct range_sums *to, const struct run *run,
		     uint32_t node, enum metric calls, enum metric time)
{
	const struct run_metric *c = run_metric(run, metric_infos[calls].name);
	const struct run_metric *t = run_metric(run, metric_infos[time].name);
	bool across = calls == METRIC_RANGE_CALLS;
	struct nvtx_range *range;

	if (!c || value_node(c, node) <= 0)
		return 0;
	range = find_range(to, run->nodes[node].function, across);
	if (!range)
		return no_memory();
	range->calls += value_node(c, node);
	if (across)
		range->seconds += t ? value_node(t, node) : 0;
	else if (!inside_itself(run, node))
		range->seconds += inclusive_total(run, t, node);
	return 0;
}

ORDER_BY(by_gpu_seconds, struct nvtx_range, DESC(seconds) ?: ASC(name))

static void range_rows(struct report *report, const struct run *run,
		       const struct range_sums *sums, size_t limit)
{
	bool across = false;

	for (size_t i = 0; i < sums->count; i++)
		across |= sums->at[i].across;
	report_table(report, "ranges", "ranges (phases)");
	report_column(report, "range", "range", COLUMN_TEXT);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "kind", across ? "kind" : NULL, COLUMN_TEXT);
	for (size_t i = 0; i < sums->count && i < limit; i++) {
		const struct nvtx_range *r = &sums->at[i];

		report_text(report, str_at(&run->strings, r->name));
		value_cell(report, UNIT_COUNT, r->calls);
		report_number(report, r->seconds);
		report_text(report, r->across ? "start/end" : "push/pop");
	}
}

int gpu_ranges_table(struct report *report, const struct run *run, size_t limit)
{
	struct range_sums sums = { .at = calloc(2 * run->node_count + 1,
						sizeof(*sums.at)) };
	int err = sums.at ? 0 : no_memory();

	for (uint32_t i = 1; i < run->node_count && !err; i++) {
		if (run->nodes[i].kind != RUN_PHASE)
			continue;
		err = add_range(&sums, run, i, METRIC_PHASE_CALLS,
				METRIC_PHASE_TIME);
		if (!err)
			err = add_range(&sums, run, i, METRIC_RANGE_CALLS,
					METRIC_RANGE_TIME);
	}
	if (!err && sums.count) {
		qsort(sums.at, sums.count, sizeof(*sums.at), by_gpu_seconds);
		range_rows(report, run, &sums, limit);
	}
	free(sums.at);
	map_fini(&sums.map);
	return err;
}

/* Balance */

/* Seconds of a launch path on each process, to be freed in any case. */
static int seconds_by_process(const struct paths *paths, uint32_t path,
			      double **to)
{
	const struct run *run = paths->run;
	const struct run_metric *m =
		run_metric(run, metric_infos[METRIC_GPU_TIME].name);
	uint64_t *row = calloc(run->rank_count + 1, sizeof(*row));
	int err = -ENOMEM;

	*to = calloc(run->rank_count + 1, sizeof(**to));
	if (row && *to)
		err = m ? path_own_row(paths, m, path, row) : 0;
	else
		no_memory();
	for (size_t i = 0; i < run->rank_count && !err && m; i++)
		(*to)[i] = value_of(m->unit, (double)row[i]);
	free(row);
	return err;
}

static int balance_row(struct report *report, const struct paths *paths,
		       const struct gpu_row *work, const uint32_t *members,
		       size_t count)
{
	double *of, sum = 0;
	uint32_t most = members[0];
	int err = seconds_by_process(paths, work->path, &of);

	for (size_t i = 0; !err && i < count; i++) {
		sum += of[members[i]];
		if (of[members[i]] > of[most])
			most = members[i];
	}
	if (!err && sum > 0) {
		report_text(report,
			    str_at(&paths->run->strings, work->function));
		paths_cell(report, paths, work->path);
		report_number(report, sum / (double)count);
		report_number(report, of[most]);
		report_count(report, processes_number(paths->run, most));
		report_number(report, of[most] * (double)count / sum - 1);
	}
	free(of);
	return err;
}

int gpu_balance_table(struct report *report, const struct paths *paths,
		      const struct gpu_work_rows *by_path, size_t limit)
{
	size_t count;
	uint32_t *members = gpu_work_members(paths->run, &count);
	int err = members ? 0 : -ENOMEM;

	if (count < 2) {
		free(members);
		return err;
	}
	report_table(report, "balance",
		     paths->run->world ? "kernels over ranks"
				       : "kernels over processes");
	report_column(report, "kernel", "kernel", COLUMN_TEXT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "mean", "mean", COLUMN_SECONDS);
	report_column(report, "max", "most", COLUMN_SECONDS);
	report_column(report, "max_rank", processes_noun(paths->run),
		      COLUMN_COUNT);
	report_column(report, "imbalance", "above mean", COLUMN_SHARE);
	for (size_t i = 0; i < limit && !err; i++)
		err = balance_row(report, paths, &by_path->at[i], members,
				  count);
	free(members);
	return err;
}
