/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-calls.c CALLS - a cheap MPI call many times, 20 calls deep; prints the
 * nanoseconds of each.
 */
#include <mpi.h>

#include "../programs/known.h"

static KEPT int fall(int depth, long calls)
{
	int rank = 0;

	if (depth)
		return fall(depth - 1, calls) + 1;
	while (calls--)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 10000000;
	double start;

	MPI_Init(&argc, &argv);
	start = cpu_seconds();
	if (fall(18, calls) < 0)
		return 1;
	printf("%.2f\n", (cpu_seconds() - start) * 1e9 / (double)calls);
	MPI_Finalize();
	return 0;
}
