/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-looks.c SECONDS - in each of ten rounds rank 0 looks at MPI's clock, in
 * look(), until SECONDS of CPU time are over, and the others wait for it at the
 * barrier of meet().  So it is look() that takes the time, and not the
 * functions below it by which MPI_Wtime asks for the time.
 */
#include <mpi.h>

#include "known.h"

#define ROUNDS 10

static KEPT void look(double seconds)
{
	double start = cpu_seconds();

	do
		for (int i = 0; i < 1000; i++)
			known_sink += MPI_Wtime();
	while (cpu_seconds() - start < seconds);
}

static KEPT void meet(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	known_sink += 1;
}

int main(int argc, char **argv)
{
	double seconds = seconds_wanted(argc, argv, 0.05);
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < ROUNDS; i++) {
		if (!rank)
			look(seconds);
		meet();
	}
	MPI_Finalize();
	return 0;
}
