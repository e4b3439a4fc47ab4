/* SPDX-License-Identifier: BSD-3-Clause */
/* pop-factors.c - parallel efficiency of the run and of each of its phases. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/base/report.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/mpi/factor-losses.h"
#include "analyse/mpi/thread-factors.h"
#include "analyse/paths/paths.h"
#include "base/err.h"
#include "base/comparison.h"
#include "run/split.h"

enum {
	ROWS = 20,
	FRAMES = 3
};

/* Columns without any value, or that are a product, are for programs. */
static void factor_columns(struct report *report, const struct run *run,
			   bool openmp)
{
	bool waits = split_knows_waits(run), mpi = run_has_mpi(run);
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
	report_column(report, "openmp_efficiency", openmp ? "OpenMP" : NULL,
		      COLUMN_SHARE);
	report_column(report, "useful_mean", NULL, COLUMN_SECONDS);
	report_column(report, "useful_max", "useful", COLUMN_SECONDS);
	report_column(report, "max_rank", on, COLUMN_COUNT);
}

/* `calls` is 0 for the run itself. */
static void factor_row(struct report *report, const struct run *run,
		       const char *name, const struct efficiency *e,
		       double calls)
{
	bool mpi = run_has_mpi(run), is_run = calls <= 0;
	const double shares[] = { e->parallel,
				  e->balance,
				  mpi ? e->communication : NAN,
				  mpi ? e->serialisation : NAN,
				  mpi ? e->transfer : NAN,
				  is_run ? e->openmp : NAN };

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
		report_count(report, processes_number(run, e->useful_max_rank));
	else
		report_none(report);
}

static double metric_at_node(const struct run *run, const char *metric,
			     uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric);

	return m ? value_node(m, node) : 0;
}

static bool is_phase(const struct run *run, uint32_t node)
{
	return run->nodes[node].kind == RUN_PHASE;
}

/*
 * A phase that did not end everywhere has no time there, and its MPI calls may
 * belong to that: nothing is computed of it.
 */
static bool is_open(const struct run *run, uint32_t node)
{
	return is_phase(run, node) &&
	       metric_at_node(run, "phase.open", node) > 0;
}

static int phase_factors(struct report *report, const struct paths *paths,
			 uint32_t node)
{
	const struct run *run = paths->run;
	struct efficiency e = { 0 };
	char *name = paths_text(paths, paths->of[node]);
	int err = name ? efficiency_of_phase(&e, run, node) : no_memory();

	if (!err && e.ranks)
		factor_row(report, run, name, &e,
			   metric_at_node(run, "phase.calls", node));
	free(name);
	return err;
}

static void note_open_regions(struct report *report, const struct paths *paths)
{
	const struct run *run = paths->run;
	uint32_t first = 0, count = 0;
	char phases[32];
	char *name;

	for (uint32_t n = 1; n < run->node_count; n++) {
		if (!is_open(run, n))
			continue;
		first = first ? first : n;
		count++;
	}
	if (!count)
		return;
	name = paths_short(paths, paths->of[first], FRAMES);
	report->failed |= !name;
	if (name && count == 1)
		report_note(
			report,
			"Phase %s was not ended %.0f times: it is left out.",
			name, metric_at_node(run, "phase.open", first));
	else if (name)
		report_note(report,
			    "%s were not ended, as %s: they are left out.",
			    phrase_plural(phases, count, "phase"), name);
	free(name);
}

/* Its time on all ranks, with that of phases inside. */
struct longest {
	uint32_t node;
	double seconds;
};

static int by_region_seconds(const void *x, const void *y)
{
	const struct longest *a = x, *b = y;

	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? 1 : -1;
	return ORDER(a->node, b->node);
}

static int by_region_node(const void *x, const void *y)
{
	const struct longest *a = x, *b = y;

	return ORDER(a->node, b->node);
}

/* The phases with the most time; to be freed, NULL: out of memory. */
static struct longest *find_longest(const struct paths *paths, size_t *count)
{
	const struct run *run = paths->run;
	const struct run_metric *m = run_metric(run, "phase.time");
	struct longest *of = calloc(run->node_count + 1, sizeof(*of));
	double *inside = calloc(paths->count + 1, sizeof(*inside));

	*count = 0;
	if (of && inside && m)
		paths_values(paths, m, NULL, inside);
	for (uint32_t n = 1; of && inside && n < run->node_count; n++)
		if (is_phase(run, n) && !is_open(run, n))
			of[(*count)++] =
				(struct longest){ n, inside[paths->of[n]] };
	free(inside);
	if (*count)
		qsort(of, *count, sizeof(*of), by_region_seconds);
	return of;
}

/* In the order of the program. */
static int phases_factors(struct report *report, const struct paths *paths,
			  const struct analysis_options *options)
{
	size_t count, shown;
	struct longest *of = find_longest(paths, &count);
	int err = of ? 0 : no_memory();

	shown = analysis_limit(options, ROWS, count);
	if (shown)
		qsort(of, shown, sizeof(*of), by_region_node);
	for (size_t i = 0; i < shown && !err; i++)
		err = phase_factors(report, paths, of[i].node);
	free(of);
	if (shown < count)
		report_note(report,
			    "The longest %zu of %zu phases are shown; -n 0 "
			    "shows all.",
			    shown, count);
	note_open_regions(report, paths);
	return err;
}

/* Of hosts that offload, and of their devices: the run's alone. */
static void gpu_factor_table(struct report *report, const struct gpu_factors *f)
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

static int fill_factors(struct report *report, const struct paths *paths,
			const struct analysis_options *options)
{
	const struct run *run = paths->run;
	struct gpu_factors gpu = gpu_factors_of(run);
	struct factor_loss losses[LOSS_KINDS];
	struct thread_factors threads;
	struct efficiency e;
	int err = efficiency_of(&e, run);

	if (err)
		return err;
	threads = thread_factors_of(run, &e);
	jobs_findings(report, run);
	efficiency_line(report, &e, run);
	thread_factors_line(report, &threads);
	factor_losses(losses, &e, &threads);
	factor_losses_say(report, losses, &e, run);
	gpu_factors_lines(report, &gpu);
	factor_columns(report, run, e.openmp < 1);
	if (e.ranks)
		factor_row(report, run, "(run)", &e, 0);
	err = phases_factors(report, paths, options);
	factor_losses_table(report, losses, &e, run);
	thread_factors_table(report, &threads);
	gpu_factor_table(report, &gpu);
	if (!e.ranks && !gpu.devices && !report->tables[0].row_count &&
	    !efficiency_unseen(run))
		report_line(report, "No MPI, and no phase that has ended: "
				    "there is nothing to compute.");
	if (run->gpu.known_count)
		report_note(report, "GPUs are left out: their work is not "
				    "known to the end of the run.");
	if (e.ranks && isnan(e.transfer))
		report_note(report,
			    "Serialisation and transfer are not separated: how "
			    "long ranks waited is not known.");
	return err;
}

static int run_pop_factors(struct report **to, const struct run *const runs[],
			   const struct analysis_options *options)
{
	struct paths paths = { 0 };
	int err = analysis_one_run(runs, "efficiency");

	if (!err)
		err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	*to = analysis_report("efficiency", runs[0], NULL);
	err = *to ? fill_factors(*to, &paths, options) : -ENOMEM;
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
