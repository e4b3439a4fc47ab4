/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grows.c BASE STEP MOST SECONDS [RANK] - memory that is known: each rank holds
 * BASE MiB; rank RANK (the last) then takes STEP MiB more each tenth of a
 * second until it holds MOST, and keeps them.  All compute for SECONDS.
 */
#include <mpi.h>

#include "known.h"

#define MIB 1048576u

static KEPT void take_memory(unsigned int mib)
{
	volatile char *at = malloc((size_t)mib * MIB);

	for (size_t i = 0; at && i < (size_t)mib * MIB; i += 4096)
		at[i] = 1;
}

static KEPT void work_until(double end)
{
	while (elapsed_seconds() < end)
		known_work();
}

static unsigned int number(char **argv, int i)
{
	return (unsigned int)strtoul(argv[i], NULL, 10);
}

int main(int argc, char **argv)
{
	double end;
	unsigned int held, step, most;
	int rank, size, grows;

	MPI_Init(&argc, &argv);
	if (argc < 5)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	grows = argc > 5 ? (int)number(argv, 5) : size - 1;
	held = number(argv, 1);
	step = number(argv, 2);
	most = number(argv, 3);
	take_memory(held);
	end = elapsed_seconds() + number(argv, 4);
	for (; rank == grows && held < most; held += step) {
		take_memory(step);
		work_until(elapsed_seconds() + 0.1);
	}
	work_until(end);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
