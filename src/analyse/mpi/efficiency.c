/* SPDX-License-Identifier: BSD-3-Clause */
/* efficiency.c - the factors, from what each rank did with its time. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/mpi/efficiency.h"
#include "analyse/mpi/mpi-callsites.h"
#include "analyse/mpi/thread-factors.h"
#include "analyse/threads/thread-waits.h"
#include "analyse/split/time-split.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "run/values.h"
#include "run/split.h"
#include "run/standstill.h"

#define WORTH_TELLING 0.1  /* of the CPU time: what other threads took */
#define OFF_WORK      0.9  /* at work less than this is worth a line */
#define STOOD_STILL   0.1  /* of all time: it is left out with a word */
#define LEAST_HOURS   0.01 /* core hours that are worth a word */

double efficiency_useful(const struct run_rank *rank)
{
	double elapsed = (double)rank->mpi_ns / 1e9, useful;

	if (rank->mpi_time_ns >= rank->mpi_ns)
		return 0;
	useful = (double)(rank->mpi_ns - rank->mpi_time_ns) / 1e9;
	return useful - openmp_lost(rank, elapsed, useful);
}

static void add_rank_time(struct efficiency *e, double elapsed, double mpi,
			  double openmp, size_t index)
{
	double outside = mpi < elapsed ? elapsed - mpi : 0;
	double useful = outside - openmp;

	if (!e->ranks || useful > e->useful_max) {
		e->useful_max = useful;
		e->useful_max_rank = index;
	}
	if (!e->ranks || outside > e->outside_max) {
		e->outside_max = outside;
		e->outside_max_rank = index;
	}
	if (elapsed > e->elapsed)
		e->elapsed = elapsed;
	e->outside_mean += outside;
	e->useful_mean += useful;
	e->ranks++;
}

/*
 * The run time with a network that takes no time: what is in MPI but waiting
 * and files is gone.  NAN when waiting is not known.
 */
static double ideal_time(const struct efficiency *e, const double *elapsed,
			 const struct mpi_time *mpi, size_t count)
{
	double most = e->outside_max;

	for (size_t i = 0; i < count; i++) {
		double rank = elapsed[i] - mpi_time_transfer(&mpi[i]);

		if (elapsed[i] <= 0)
			continue;
		if (isnan(rank))
			return NAN;
		if (rank > most)
			most = rank;
	}
	return fmin(most, e->elapsed);
}

void efficiency_from(struct efficiency *e, const double *elapsed,
		     const struct mpi_time *mpi, size_t count)
{
	double ideal;

	*e = (struct efficiency){ 0 };
	for (size_t i = 0; i < count; i++)
		if (elapsed[i] > 0)
			add_rank_time(e, elapsed[i], mpi[i].total,
				      mpi[i].openmp, i);
	if (!e->ranks)
		return;
	ideal = ideal_time(e, elapsed, mpi, count);
	e->useful_mean /= (double)e->ranks;
	e->outside_mean /= (double)e->ranks;
	e->balance = value_ratio(e->outside_mean, e->outside_max);
	e->communication = value_ratio(e->outside_max, e->elapsed);
	e->openmp = e->useful_mean < e->outside_mean
			    ? e->useful_mean / e->outside_mean
			    : 1;
	e->parallel = e->balance * e->communication * e->openmp;
	e->serialisation = value_ratio(e->outside_max, ideal);
	e->transfer = value_ratio(ideal, e->elapsed);
}

/* The share of MPI, as the split has it, of those with elapsed[i] > 0. */
static void share_mpi(struct efficiency *e, const struct time_split *split,
		      const double *elapsed)
{
	bool begun = false;

	for (size_t i = 0; i < split->run->rank_count; i++) {
		double share = time_split_mpi(split, i);

		if (elapsed[i] <= 0)
			continue;
		if (!begun || share < e->mpi_min) {
			e->mpi_min = share;
			e->mpi_min_rank = i;
		}
		if (!begun || share > e->mpi_max) {
			e->mpi_max = share;
			e->mpi_max_rank = i;
		}
		begun = true;
		e->mpi_mean += share / (double)e->ranks;
	}
}

/* Stamps of regions are more exact than samples in the runtime. */
static void take_threads(struct efficiency *e, const struct run *run)
{
	struct thread_factors f = thread_factors_of(run, e);

	if (f.threads <= 0)
		return;
	e->openmp = f.all;
	e->parallel = e->balance * e->communication * f.all;
}

/*
 * Seconds that a rank worked before the standstill.  Of one that was outside
 * MPI then, it is not known what it did: it slept, if it ever did.
 */
static double work_before(const double *parts, const struct standstill *end)
{
	double outside = (end->still_ns - end->never_ns) / 1e9;
	double off = parts[SPLIT_BLOCKED] + parts[SPLIT_CORE];
	double work = parts[SPLIT_WORK] + parts[SPLIT_ALONE];

	return fmax(work - fmax(outside - off, 0), 0);
}

/* The whole hierarchy: what the split calls work is all that is left. */
static void take_work(struct efficiency *e, const struct time_split *split,
		      const struct standstill *ends)
{
	double work = 0, still = 0;

	for (size_t i = 0; i < split->run->rank_count; i++) {
		work += work_before(split->ranks[i], &ends[i]);
		still += ends[i].still_ns / 1e9;
	}
	e->all = fmin(value_ratio(work, split->whole - still), 1);
	e->at_work = fmin(value_ratio(e->all, e->parallel), 1);
	e->still = still;
	e->standstill = value_ratio(still, split->whole);
}

static const struct run_rank *first_spawner(const struct run *run)
{
	const struct run_rank *first = NULL;

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (r->spawned &&
		    (!first || r->start_real_ns < first->start_real_ns))
			first = r;
	}
	return first;
}

/* Who is not of the first spawner's job was started. */
size_t efficiency_unseen(const struct run *run)
{
	const struct run_rank *first = first_spawner(run);
	size_t started = 0, all = 0, own = 0;

	if (!first)
		return 0;
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		started += r->spawned;
		all += r->job.size > 0;
		own += r->job.size > 0 && r->job.number == first->job.number;
	}
	if (own > first->job.size) /* the names of jobs are not known */
		own = first->job.size;
	return started > all - own ? started - (all - own) : 0;
}

/* A job that hung was as efficient as it was before. */
static void leave_out_standstill(double *elapsed, struct mpi_time *mpi,
				 const struct standstill *ends, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mpi[i].total = fmax(mpi[i].total - ends[i].never_ns / 1e9, 0);
		elapsed[i] = fmax(elapsed[i] - ends[i].still_ns / 1e9, 0);
	}
}

int efficiency_of(struct efficiency *e, const struct run *run)
{
	double *elapsed = calloc(run->rank_count + 1, sizeof(*elapsed));
	struct mpi_time *mpi = elapsed ? mpi_times(run, 0) : NULL;
	struct standstill *ends = mpi ? standstill_of(run) : NULL;
	struct time_split split = { 0 };
	bool ok = ends && !time_split_init(&split, run);
	size_t count = efficiency_unseen(run) ? 0 : run->rank_count;

	*e = (struct efficiency){ 0 };
	for (size_t i = 0; ok && i < count; i++)
		if (!run_is_other_job(&run->ranks[i]))
			elapsed[i] = (double)run->ranks[i].mpi_ns / 1e9;
	if (ok) {
		leave_out_standstill(elapsed, mpi, ends, run->rank_count);
		efficiency_from(e, elapsed, mpi, run->rank_count);
		take_threads(e, run);
		take_work(e, &split, ends);
		share_mpi(e, &split, elapsed);
	}
	time_split_fini(&split);
	free(elapsed);
	free(ends);
	free(mpi);
	return ok ? 0 : no_memory();
}

/* MPI_Init is no more part of a phase's time than of the run's. */
static int add_elapsed(double *elapsed, const struct run *run, uint32_t node,
		       const struct run_metric *phase,
		       const struct run_metric *mpi)
{
	uint64_t *inside = calloc(run->rank_count + 1, sizeof(*inside));
	uint64_t *init = calloc(run->rank_count + 1, sizeof(*init));
	struct value_buffer buffers[2] = { 0 };
	uint32_t end = run_subtree_end(run, node);
	int err = inside && init ? 0 : no_memory();

	for (uint32_t n = node; n < end && !err; n++) {
		bool is_init =
			run->nodes[n].kind == RUN_MPI && split_is_init(run, n);
		const struct run_metric *m = is_init ? mpi : phase;

		if (m)
			err = values_add_up(run, m, n, &buffers[is_init],
					    is_init ? init : inside);
	}
	for (size_t i = 0; i < run->rank_count && !err; i++)
		elapsed[i] = ((double)inside[i] - (double)init[i]) / 1e9;
	value_buffer_fini(&buffers[0]);
	value_buffer_fini(&buffers[1]);
	free(inside);
	free(init);
	return err;
}

int efficiency_of_phase(struct efficiency *e, const struct run *run,
			uint32_t node)
{
	const struct run_metric *phase = run_metric(run, "phase.time");
	double *elapsed = calloc(run->rank_count + 1, sizeof(*elapsed));
	struct mpi_time *mpi = elapsed ? mpi_times(run, node) : NULL;
	int err = elapsed ? 0 : no_memory();

	*e = (struct efficiency){ 0 };
	if (!err && !mpi)
		err = -EIO; /* and the reason is there */
	if (!err && !efficiency_unseen(run))
		err = add_elapsed(elapsed, run, node, phase,
				  run_metric(run, "mpi.time"));
	if (!err)
		efficiency_from(e, elapsed, mpi, run->member_count);
	free(elapsed);
	free(mpi);
	return err;
}

/* CPU time of threads that no factor covers. */
static double share_of_others(const struct run *run)
{
	double others = 0, all = 0;

	for (size_t i = 0; i < run->threads.group_count; i++) {
		const struct run_thread_group *g = &run->threads.groups[i];
		double cpu = (double)g->cpu_ns;

		if (run->ranks[g->rank].rank < 0)
			continue;
		all += cpu;
		others += g->kind == RUN_THREAD_BEGUN ? cpu : 0;
	}
	return value_ratio(others, all);
}

static void say_others(struct report *report, const struct efficiency *e,
		       const struct run *run)
{
	double share = share_of_others(run);

	if (e->openmp < 1 || share < WORTH_TELLING)
		return;
	report_line(
		report,
		"That is of each rank's first thread: threads that it "
		"began took %.0f %% of the CPU time (copse report threads).",
		100 * share);
}

/* What takes most of the time that is neither work nor MPI's or OpenMP's. */
static void say_at_work(struct report *report, const struct efficiency *e,
			const struct run *run)
{
	static const enum split_part others[] = {
		SPLIT_CORE, SPLIT_BLOCKED, SPLIT_THREADS,
		SPLIT_GPU,  SPLIT_START,   SPLIT_UNKNOWN
	};
	enum split_part most = SPLIT_CORE;
	struct time_split split;
	bool ok;

	if (e->at_work >= OFF_WORK)
		return;
	ok = !time_split_init(&split, run);
	report->failed |= !ok;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && ok; i++)
		if (split.parts[others[i]].seconds > split.parts[most].seconds)
			most = others[i];
	if (ok)
		report_line(report,
			    "Efficiency %.0f %% = parallel efficiency %.0f %% "
			    "× at work %.0f %% (most of the rest: %s)",
			    100 * e->all, 100 * e->parallel, 100 * e->at_work,
			    split_names[most].title);
	time_split_fini(&split);
}

static void say_standstill(struct report *report, const struct efficiency *e)
{
	double hours = e->still / 3600;
	char burnt[64] = "";

	if (hours >= LEAST_HOURS)
		snprintf(burnt, sizeof(burnt),
			 " (%.2f core hours, at a core a rank)", hours);
	report_line(report,
		    "The efficiency is that of the time before the "
		    "standstill, which took %.0f %%%s.",
		    100 * e->standstill, burnt);
}

void efficiency_line(struct report *report, const struct efficiency *e,
		     const struct run *run)
{
	char openmp[32] = "";

	if (!e->ranks)
		return;
	if (e->standstill >= STOOD_STILL)
		say_standstill(report, e);
	say_at_work(report, e, run);
	if (e->openmp < 1)
		snprintf(openmp, sizeof(openmp), " × OpenMP %.0f %%",
			 100 * e->openmp);
	if (isnan(e->transfer))
		report_line(report,
			    "Parallel efficiency %.0f %% = load balance %.0f "
			    "%% × communication efficiency %.0f %%%s",
			    100 * e->parallel, 100 * e->balance,
			    100 * e->communication, openmp);
	else
		report_line(report,
			    "Parallel efficiency %.0f %% = load balance %.0f "
			    "%% × serialisation %.0f %% × transfer %.0f %%%s",
			    100 * e->parallel, 100 * e->balance,
			    100 * e->serialisation, 100 * e->transfer, openmp);
	say_others(report, e, run);
}
