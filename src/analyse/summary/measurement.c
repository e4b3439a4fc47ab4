/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measurement.c - how the run was measured: how many samples, by which clock,
 * what shares are worth, what measuring cost, and what was lost.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/base/measuring.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/base/report.h"
#include "base/comparison.h"
#include "base/err.h"

#define ROWS 8 /* processes, those with the highest cost */

struct measured_process {
	uint32_t process;
	double cost;
};

ORDER_BY(compare_cost, struct measured_process, DESC(cost) ?: ASC(process))

static void process_row(struct report *report, const struct run *run,
			uint32_t process)
{
	const struct run_rank *r = &run->ranks[process];
	double cpu = (double)r->cpu_ns / 1e9;

	report_count(report, processes_number(run, process));
	report_text(report, str_at(&run->strings, r->host));
	report_number(report, cpu);
	report_count(report, r->samples);
	report_number(report, value_ratio((double)r->samples, cpu));
	report_number(report, (double)r->handler_ns / 1e9);
	report_number(report, (double)r->wrapper_ns / 1e9);
	report_number(report, (double)r->switch_ns / 1e9);
	report_number(report, (double)r->threads_ns / 1e9);
	report_number(report, value_ratio(measuring_cost(r), measuring_cpu(r)));
}

static void process_columns(struct report *report, const struct run *run)
{
	report_table(report, "processes",
		     run->world ? "per rank, the highest cost first"
				: "per process, the highest cost first");
	report_column(report, "process", processes_noun(run), COLUMN_COUNT);
	report_column(report, "host", "host", COLUMN_TEXT);
	report_column(report, "cpu", "CPU time", COLUMN_SECONDS);
	report_column(report, "samples", "samples", COLUMN_COUNT);
	report_column(report, "rate", "per second", COLUMN_NUMBER);
	report_column(report, "handler", "sampling", COLUMN_SECONDS);
	report_column(report, "wrapper", "wrappers", COLUMN_SECONDS);
	report_column(report, "switch", "clock", COLUMN_SECONDS);
	report_column(report, "threads", "threads", COLUMN_SECONDS);
	report_column(report, "cost", "cost", COLUMN_SHARE);
	report_key(report);
}

static int process_table(struct report *report, const struct run *run,
			 const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, run->rank_count);
	struct measured_process *all =
		calloc(run->rank_count + 1, sizeof(*all));

	if (!all)
		return no_memory();
	for (size_t i = 0; i < run->rank_count; i++)
		all[i] = (struct measured_process){
			(uint32_t)i, measuring_cost(&run->ranks[i])
		};
	qsort(all, run->rank_count, sizeof(*all), compare_cost);
	process_columns(report, run);
	for (size_t i = 0; i < limit; i++)
		process_row(report, run, all[i].process);
	free(all);
	return 0;
}

static int run_measurement(struct report **to, const struct run *const runs[],
			   const struct analysis_options *options)
{
	const struct run_metric *metric;
	int err = analysis_one_run(runs, "measurement");

	if (err)
		return err;
	metric = analysis_metric(runs[0], options, NULL);
	if (!metric && options->metric)
		return -EINVAL;
	*to = analysis_report("measurement", runs[0], NULL);
	if (!*to)
		return -ENOMEM;
	measuring_few(*to, runs[0]);
	err = process_table(*to, runs[0], options);
	if (err)
		return err;
	measuring_losses(*to, runs[0]);
	measuring_findings(*to, runs[0], metric);
	findings_joined(*to, runs[0]);
	return report_error(*to);
}

const struct analysis analysis_measurement = {
	.name = "measurement",
	.help = "how it was measured: samples, cost, losses",
	.takes = ANALYSIS_METRIC,
	.run = run_measurement,
};
