/* SPDX-License-Identifier: BSD-3-Clause */
/* small.c - what the files of each version were measured of. */
#include <mpi.h>
static volatile double sum;

static void work(int parts)
{
	for (long i = 0; i < parts * 20000000L; i++)
		sum += 1.0 / (i + 1);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3; i++) {
		work(1 + rank);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
