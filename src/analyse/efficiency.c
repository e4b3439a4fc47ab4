/* SPDX-License-Identifier: BSD-3-Clause */
/* efficiency.c - load balance, communication and parallel efficiency. */
#include "analyse/efficiency.h"
#include "analyse/value.h"

double efficiency_useful(const struct run_rank *rank)
{
	if (rank->mpi_time_ns >= rank->mpi_ns)
		return 0;
	return (double)(rank->mpi_ns - rank->mpi_time_ns) / 1e9;
}

double efficiency_mpi(const struct run_rank *rank)
{
	if (rank->mpi_time_ns >= rank->mpi_ns)
		return rank->mpi_ns ? 1 : 0;
	return (double)rank->mpi_time_ns / (double)rank->mpi_ns;
}

static void add_rank(struct efficiency *e, const struct run_rank *rank,
		     size_t index)
{
	double useful = efficiency_useful(rank);
	double share = efficiency_mpi(rank);
	double elapsed = (double)rank->mpi_ns / 1e9;

	if (!e->ranks || share < e->mpi_min) {
		e->mpi_min = share;
		e->mpi_min_rank = index;
	}
	if (!e->ranks || share > e->mpi_max) {
		e->mpi_max = share;
		e->mpi_max_rank = index;
	}
	if (useful > e->useful_max)
		e->useful_max = useful;
	if (elapsed > e->elapsed)
		e->elapsed = elapsed;
	e->useful_mean += useful;
	e->mpi_mean += share;
	e->ranks++;
}

void efficiency_of(struct efficiency *e, const struct run *run)
{
	*e = (struct efficiency){ 0 };
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].mpi_ns)
			add_rank(e, &run->ranks[i], i);
	if (!e->ranks)
		return;
	e->useful_mean /= (double)e->ranks;
	e->mpi_mean /= (double)e->ranks;
	e->balance = value_ratio(e->useful_mean, e->useful_max);
	e->communication = value_ratio(e->useful_max, e->elapsed);
	e->parallel = e->balance * e->communication;
}
