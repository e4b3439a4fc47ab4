/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-time.c - sums over the nodes of MPI calls, bounded by what is known. */
#include <math.h>
#include <stdlib.h>

#include "analyse/mpi/mpi-time.h"
#include "analyse/threads/thread-waits.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "live/layout.h"
#include "run/split.h"
#include "run/values.h"

#define SMALL 0.01 /* of all waiting */

/* Causes that were too small to be kept for themselves have no place. */
static bool knows_places(const struct run_waits *w)
{
	double all = 0, others = 0;

	for (size_t i = 0; i < w->cause_count; i++) {
		all += w->causes[i].ns;
		if (w->causes[i].culprit == WAIT_OTHERS)
			others += w->causes[i].ns;
	}
	return others <= SMALL * all;
}

static void add_mpi_values(struct mpi_time *to, bool io,
			   const struct run_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct mpi_time *t = &to[values[i].rank];

		t->total += (double)values[i].value / 1e9;
		if (io)
			t->io += (double)values[i].value / 1e9;
	}
}

static int sum_time(struct mpi_time *to, const struct run *run, uint32_t node)
{
	const struct run_metric *m = run_metric(run, "mpi.time");
	uint32_t end = run_subtree_end(run, node);
	struct value_buffer buffer = { 0 };
	int err = 0;

	for (uint32_t n = node; m && n < end && !err; n++) {
		const struct run_value *values;
		size_t count;

		if (run->nodes[n].kind != RUN_MPI || split_is_init(run, n))
			continue;
		err = values_of_node(run, (size_t)(m - run->metrics), n,
				     &buffer, &values, &count);
		if (!err)
			add_mpi_values(to, run->nodes[n].detail == LIVE_MPI_IO,
				       values, count);
	}
	value_buffer_fini(&buffer);
	return err;
}

static void sum_waiting(struct mpi_time *to, const struct run *run,
			uint32_t node)
{
	const struct run_waits *w = &run->waits;
	uint32_t end = run_subtree_end(run, node);

	for (size_t i = 0; i < w->victim_count; i++) {
		uint32_t victim = w->causes[w->victims[i].cause].victim;

		if (victim >= node && victim < end)
			to[w->victims[i].rank].waiting +=
				w->victims[i].ns / 1e9;
	}
}

/* Of the thread of MPI_Init, as the merge has it. */
static void take_rows(struct mpi_time *to, const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++) {
		to[i].total = (double)run->ranks[i].mpi_time_ns / 1e9;
		to[i].io = (double)run->ranks[i].mpi_io_ns / 1e9;
		if (split_knows_waits(run))
			to[i].waiting = run->waits.ranks[i].main_ns / 1e9;
		to[i].openmp = openmp_lost(
			&run->ranks[i], (double)run->ranks[i].mpi_ns / 1e9,
			(double)run->ranks[i].mpi_ns / 1e9 - to[i].total);
	}
}

struct mpi_time *mpi_times(const struct run *run, uint32_t node)
{
	bool known =
		split_knows_waits(run) && (!node || knows_places(&run->waits));
	struct mpi_time *to = calloc(run->rank_count + 1, sizeof(*to));

	if (!to) {
		no_memory();
		return NULL;
	}
	if (node && sum_time(to, run, node)) {
		free(to);
		return NULL;
	}
	if (node)
		sum_waiting(to, run, node);
	else
		take_rows(to, run);
	for (size_t i = 0; i < run->rank_count; i++)
		to[i].waiting =
			known ? fmin(to[i].waiting, to[i].total - to[i].io)
			      : NAN;
	return to;
}

double mpi_time_transfer(const struct mpi_time *time)
{
	return time->total - time->io - time->waiting;
}

double mpi_time_cpu(const struct run *run)
{
	const struct run_metric *m = run_metric(run, "cpu.time");
	bool *inside = calloc(run->node_count + 1, sizeof(*inside));
	double sum = 0;

	if (!inside)
		return -1;
	for (size_t n = 0; m && n < run->node_count; n++) {
		inside[n] = run->nodes[n].kind == RUN_MPI ||
			    inside[run->nodes[n].parent];
		if (inside[n])
			sum += value_node(m, n);
	}
	free(inside);
	return sum;
}
