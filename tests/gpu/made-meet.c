/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-meet.c - ranks with a made CUDA: rank r computes 10 (r + 1) ms on its
 * device, then all meet.  While they wait, their devices are idle; each says
 * how long that was.
 */
#include <mpi.h>
#include <stdio.h>

#include "made-cuda.h"
#include "truths.h"

#define ROUNDS 20
#define MS     ((uint64_t)1000000)

static double met;

static STAYS void compute(int rank)
{
	uint64_t ns = 10 * MS * (uint64_t)(rank + 1);

	made_cudaLaunchKernel("_Z5alphaPfi", 0, ns);
	made_cudaDeviceSynchronize(ns);
	NO_TAIL_CALL();
}

static STAYS void meet(void)
{
	double one = 1, sum, start = clock_seconds();

	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	met += clock_seconds() - start;
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < ROUNDS; i++) {
		compute(rank);
		meet();
	}
	printf("met %.6f\n", met);
	MPI_Finalize();
	return 0;
}
