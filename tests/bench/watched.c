/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watched.c - STEPS TURNS: ranks that work and meet, as often, on so many turns
 * of a loop.  Prints a number that all of it makes, and the seconds it took.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double work(int turns, double x)
{
	for (int i = 0; i < turns; i++)
		x = x * 0.999 + 1;
	return x;
}

int main(int argc, char **argv)
{
	int rank, steps = argc > 2 ? atoi(argv[1]) : 100;
	int turns = argc > 2 ? atoi(argv[2]) : 100000;
	double x = 1, sum = 0, took;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	took = MPI_Wtime();
	for (int i = 0; i < steps; i++) {
		x = work(turns * (1 + rank % 3), x);
		MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		x = sum / 1000;
	}
	took = MPI_Wtime() - took;
	if (!rank)
		printf("%.17g %.3f\n", sum, took);
	MPI_Finalize();
	return 0;
}
