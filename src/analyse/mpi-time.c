/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-time.c - sums over the nodes of MPI calls, bounded by what is known. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/mpi-time.h"
#include "analyse/sites.h"
#include "base/err.h"
#include "live/layout.h"

uint32_t mpi_time_end(const struct run *run, uint32_t node)
{
	uint32_t end = node + 1;

	while (end < run->node_count && run->nodes[end].parent >= node)
		end++;
	return end;
}

/* Which of a rank's sums a node's values belong to. */
enum part {
	TOTAL,
	IO,
	WAITING
};

static void add(struct mpi_time *to, enum part part, double seconds)
{
	if (part == WAITING)
		to->waiting += seconds;
	else
		to->total += seconds;
	if (part == IO)
		to->io += seconds;
}

static void sum(struct mpi_time *to, const struct run *run,
		const struct run_metric *m, uint32_t node, bool waiting)
{
	uint32_t end = mpi_time_end(run, node);

	for (uint32_t n = node; m && n < end; n++) {
		bool io = run->nodes[n].detail == LIVE_MPI_IO;
		enum part part = waiting ? WAITING : io ? IO : TOTAL;

		if (run->nodes[n].kind != RUN_MPI || sites_is_init(run, n))
			continue;
		for (uint64_t v = m->first[n]; v < m->first[n + 1]; v++)
			add(&to[m->values[v].rank], part,
			    (double)m->values[v].value / 1e9);
	}
}

/* Of the thread of MPI_Init, as the merge has it. */
static void take_rows(struct mpi_time *to, const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++) {
		to[i].total = (double)run->ranks[i].mpi_time_ns / 1e9;
		to[i].io = (double)run->ranks[i].mpi_io_ns / 1e9;
	}
}

struct mpi_time *mpi_times(const struct run *run, uint32_t node)
{
	const struct run_metric *wait = run_metric(run, MPI_TIME_WAIT);
	struct mpi_time *to = calloc(run->rank_count + 1, sizeof(*to));

	if (!to) {
		fail(-ENOMEM, "out of memory");
		return NULL;
	}
	if (node)
		sum(to, run, run_metric(run, "mpi.time"), node, false);
	else
		take_rows(to, run);
	sum(to, run, wait, node, true);
	for (size_t i = 0; i < run->rank_count; i++)
		to[i].waiting =
			wait ? fmin(to[i].waiting, to[i].total - to[i].io)
			     : NAN;
	return to;
}

double mpi_time_transfer(const struct mpi_time *time)
{
	return time->total - time->io - time->waiting;
}
