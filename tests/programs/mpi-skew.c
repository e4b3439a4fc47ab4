/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-skew.c [SECONDS [SHAPE]] - rank r works (r + 1) * SECONDS (0.1 when not
 * given) of CPU time in work(), in 10 rounds; each ends in an MPI_Barrier where
 * all wait for the last rank, and an MPI_Allreduce of 8 bytes.  Other shapes
 * than that are `alternating`: odd ranks work 2 * SECONDS, even ones SECONDS,
 * `one`: rank 1 works 3 * SECONDS, the others SECONDS, and `other`: all work
 * SECONDS, odd ranks in other_work().
 *
 * So of cpu.time in work() the mean over n ranks is (n + 1) / 2 * SECONDS,
 * the maximum n * SECONDS, on the last rank: max/mean is 2n / (n + 1), 1.6
 * for 4 ranks.  Each rank prints what it used, and how long it was in
 * MPI_Barrier.
 */
#include <mpi.h>
#include <string.h>

#include "known.h"

#define ROUNDS 10

static double used;

static KEPT void work(double seconds)
{
	used += work_for(seconds);
}

static KEPT void other_work(double seconds)
{
	used += work_for(seconds);
}

static double share(const char *shape, int rank)
{
	if (!strcmp(shape, "other"))
		return 1;
	if (!strcmp(shape, "alternating"))
		return 1 + rank % 2;
	if (!strcmp(shape, "one"))
		return rank == 1 ? 3 : 1;
	return rank + 1;
}

int main(int argc, char **argv)
{
	double unit = seconds_wanted(argc, argv, 0.1), mine, sum, total = 0;
	double begun, in_barrier = 0;
	const char *shape = argc > 2 ? argv[2] : "linear";
	int rank, other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	mine = share(shape, rank);
	other = !strcmp(shape, "other") && rank % 2;
	for (int i = 0; i < ROUNDS; i++) {
		/* What was too much in one round is less in the next. */
		(other ? other_work
		       : work)((i + 1) * mine * unit / ROUNDS - used);
		begun = elapsed_seconds();
		MPI_Barrier(MPI_COMM_WORLD);
		in_barrier += elapsed_seconds() - begun;
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
		total += sum;
	}
	MPI_Finalize();
	truth_of_rank(other ? "other_work" : "work", rank, used);
	truth_of_rank("barrier", rank, in_barrier);
	printf("checksum %d %.0f\n", rank, total);
	return 0;
}
