/* SPDX-License-Identifier: BSD-3-Clause */
/* pop-factors.c - parallel efficiency of the run and of each of its phases. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/efficiency.h"
#include "analyse/findings.h"
#include "analyse/gpu-busy.h"
#include "analyse/paths.h"
#include "analyse/value.h"
#include "base/err.h"

#define WORTHWHILE 0.02 /* of the run time: lost, worth a sentence */

/* Columns without any value, or that are a product, are for programs. */
static void columns(struct report *report, const struct run *run)
{
	bool waits = mpi_time_has_waits(run), mpi = run->world;
	const char *noun = run->world ? "ranks" : "processes";
	const char *on = run->world ? "on rank" : "in process";

	report_table(report, "factors", "run and phases");
	report_column(report, "phase", "phase", COLUMN_TEXT);
	report_column(report, "ranks", noun, COLUMN_COUNT);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "elapsed", "time", COLUMN_SECONDS);
	report_column(report, "parallel_efficiency", "parallel", COLUMN_SHARE);
	report_column(report, "load_balance", "balance", COLUMN_SHARE);
	report_column(report, "communication_efficiency",
		      mpi && !waits ? "communication" : NULL, COLUMN_SHARE);
	report_column(report, "serialisation_efficiency",
		      waits ? "serial." : NULL, COLUMN_SHARE);
	report_column(report, "transfer_efficiency", waits ? "transfer" : NULL,
		      COLUMN_SHARE);
	report_column(report, "useful_mean", NULL, COLUMN_SECONDS);
	report_column(report, "useful_max", "useful", COLUMN_SECONDS);
	report_column(report, "max_rank", on, COLUMN_COUNT);
}

/* `calls` is 0 for the run itself. */
static void row(struct report *report, const struct run *run, const char *name,
		const struct efficiency *e, double calls)
{
	bool mpi = run->world;
	const double shares[] = { e->parallel, e->balance,
				  mpi ? e->communication : NAN,
				  mpi ? e->serialisation : NAN,
				  mpi ? e->transfer : NAN };

	report_text(report, name);
	report_count(report, e->ranks);
	if (calls > 0)
		value_cell(report, UNIT_COUNT, calls);
	else
		report_none(report);
	report_number(report, e->elapsed);
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		value_known(report, e->ranks ? shares[i] : NAN);
	report_number(report, e->useful_mean);
	report_number(report, e->useful_max);
	if (e->ranks)
		report_count(report, value_process(run, e->useful_max_rank));
	else
		report_none(report);
}

static double sum_of(const struct run *run, const char *metric, uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric);

	return m ? value_node(m, node) : 0;
}

/*
 * A phase that did not end everywhere has no time there, and its MPI calls may
 * belong to that: nothing is computed of it.
 */
static int phase(struct report *report, const struct paths *paths,
		 uint32_t node)
{
	const struct run *run = paths->run;
	double open = sum_of(run, "phase.open", node);
	struct efficiency e = { 0 };
	char *name = paths_text(paths, paths->of[node]);
	int err = name ? 0 : fail(-ENOMEM, "out of memory");

	if (!err && open > 0)
		report_note(report,
			    "Phase %s was not ended %.0f times: nothing is "
			    "said of it.",
			    name, open);
	else if (!err)
		err = efficiency_of_phase(&e, run, node);
	if (!err && e.ranks)
		row(report, run, name, &e, sum_of(run, "phase.calls", node));
	free(name);
	return err;
}

/* Of hosts that offload, and of their devices: the run's alone. */
static void gpu_table(struct report *report, const struct gpu_factors *f)
{
	const struct {
		const char *id, *title;
		enum column_type type;
		double value;
	} cells[] = {
		{ "elapsed", "time", COLUMN_SECONDS, f->elapsed },
		{ "host_efficiency", "host", COLUMN_SHARE, f->host },
		{ "mpi_efficiency", "MPI", COLUMN_SHARE, f->mpi },
		{ "offload_efficiency", "offload", COLUMN_SHARE, f->offload },
		{ "device_efficiency", "device", COLUMN_SHARE, f->parallel },
		{ "device_load_balance", "balance", COLUMN_SHARE, f->balance },
		{ "device_communication_efficiency", "communication",
		  COLUMN_SHARE, f->communication },
		{ "orchestration_efficiency", "orchestration", COLUMN_SHARE,
		  f->orchestration },
		{ "kernels_mean", NULL, COLUMN_SECONDS, f->kernels_mean },
		{ "kernels_max", NULL, COLUMN_SECONDS, f->kernels_max },
	};
	size_t count = sizeof(cells) / sizeof(*cells);

	if (!f->devices)
		return;
	report_table(report, "host_device", "hosts and devices");
	report_column(report, "processes", "processes", COLUMN_COUNT);
	report_column(report, "devices", "GPUs", COLUMN_COUNT);
	for (size_t i = 0; i < count; i++)
		report_column(report, cells[i].id, cells[i].title,
			      cells[i].type);
	report_count(report, f->processes);
	report_count(report, f->devices);
	for (size_t i = 0; i < count; i++)
		report_number(report, cells[i].value);
}

struct loss {
	const char *by;
	double share;
};

/* "Most is lost by load imbalance: …", of the run time on each rank. */
static void worst(struct report *report, const struct efficiency *e)
{
	double ideal = e->transfer * e->elapsed;
	bool known = !isnan(ideal);
	const struct loss losses[] = {
		{ "load imbalance", e->useful_max - e->useful_mean },
		{ "waiting on one another (serialisation)",
		  known ? ideal - e->useful_max : 0 },
		{ "transfer", known ? e->elapsed - ideal : 0 },
		{ "communication", known ? 0 : e->elapsed - e->useful_max },
	};
	const struct loss *most = losses;

	for (size_t i = 1; i < sizeof(losses) / sizeof(*losses); i++)
		if (losses[i].share > most->share)
			most = &losses[i];
	if (most->share > WORTHWHILE * e->elapsed)
		report_line(report,
			    "• Most is lost by %s: %.0f %% of the run time.",
			    most->by, 100 * most->share / e->elapsed);
}

static int fill(struct report *report, const struct paths *paths)
{
	const struct run *run = paths->run;
	struct gpu_factors gpu = gpu_factors_of(run);
	struct efficiency e;
	int err = efficiency_of(&e, run);

	if (err)
		return err;
	findings_jobs(report, run);
	efficiency_line(report, &e);
	worst(report, &e);
	gpu_factors_lines(report, &gpu);
	columns(report, run);
	if (e.ranks)
		row(report, run, "(run)", &e, 0);
	for (uint32_t n = 1; n < run->node_count && !err; n++)
		if (run->nodes[n].kind == RUN_PHASE)
			err = phase(report, paths, n);
	gpu_table(report, &gpu);
	if (!e.ranks && !gpu.devices && !report->tables[0].row_count)
		report_line(report, "No MPI, and no phase that has ended: "
				    "there is nothing to compute.");
	if (run->gpu.known_count)
		report_note(report, "Nothing is said of GPUs, whose work is "
				    "not known to the end.");
	if (e.ranks && isnan(e.transfer))
		report_note(report,
			    "Serialisation and transfer are not told apart: "
			    "the run does not say how long ranks waited.");
	return err;
}

static int run_pop_factors(struct report **to, const struct run *const runs[],
			   const struct analysis_options *options)
{
	struct paths paths = { 0 };
	int err = value_one_run(runs, "efficiency");

	(void)options;
	if (!err)
		err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	*to = value_report("efficiency", runs[0], NULL);
	err = *to ? fill(*to, &paths) : -ENOMEM;
	if (!err)
		err = report_error(*to);
	paths_fini(&paths);
	return err;
}

const struct analysis analysis_pop_factors = {
	.name = "efficiency",
	.help = "the factors of parallel efficiency, of the run and its phases",
	.run = run_pop_factors,
};
