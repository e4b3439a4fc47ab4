/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-parts.c [SECONDS] - what its time goes into, known part by part.  In each
 * of 10 rounds all ranks work, rank 0 twice as long; the last one sleeps as
 * long as that; then all meet in an MPI_Allreduce, in which all but the last to
 * come wait.  At the end rank 0 prints `truth PART SECONDS`, sums over all
 * ranks, as in copse report split: work is CPU time; core, what work took
 * longer; wait, by when each came.
 */
#include <mpi.h>

#include "known.h"

#define ROUNDS 10

enum {
	WORK,
	CORE,
	BLOCKED,
	WAIT,
	START,
	PARTS
};

static const char *const names[] = { "work", "core", "blocked", "wait",
				     "start" };

static KEPT void work(double seconds, double *parts)
{
	double begin = elapsed_seconds(), used = work_for(seconds);

	parts[WORK] += used;
	parts[CORE] += elapsed_seconds() - begin - used;
}

static KEPT void nap(double seconds, double *parts)
{
	struct timespec t = { (time_t)seconds,
			      (long)(1e9 *
				     (seconds - (double)(time_t)seconds)) };
	double begin = elapsed_seconds();

	nanosleep(&t, NULL);
	parts[BLOCKED] += elapsed_seconds() - begin;
}

/* When each came is told at the end: telling it is waiting, too. */
static KEPT void meet(double *came)
{
	double one = 1, sum;

	*came = elapsed_seconds();
	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	double each = seconds_wanted(argc, argv, 1) / ROUNDS;
	double came[ROUNDS], last[ROUNDS], parts[PARTS] = { 0 }, all[PARTS];
	double begin = elapsed_seconds();
	int rank, size;

	MPI_Init(&argc, &argv);
	parts[START] = elapsed_seconds() - begin;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < ROUNDS; i++) {
		work(rank ? each : 2 * each, parts);
		if (rank == size - 1)
			nap(2 * each, parts);
		meet(&came[i]);
	}
	MPI_Allreduce(came, last, ROUNDS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	for (int i = 0; i < ROUNDS; i++)
		parts[WAIT] += last[i] - came[i];
	MPI_Reduce(parts, all, PARTS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	for (int i = 0; !rank && i < PARTS; i++)
		truth(names[i], all[i]);
	MPI_Finalize();
	return 0;
}
