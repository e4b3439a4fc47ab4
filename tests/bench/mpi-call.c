/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-call.c CALLS - two cheap MPI calls many times, at call depths 2, 20 and
 * 60: MPI_Comm_rank, which does nearly nothing, and MPI_Sendrecv of 8 bytes to
 * the process itself.  Prints one line for each: the name, the depth and the
 * nanoseconds of a call, the best of 5 turns.
 */
#include <mpi.h>

#include "../programs/known.h"

#define TURNS 5

static KEPT double rank_loop(long calls)
{
	double start = cpu_seconds();
	int rank;

	for (long i = 0; i < calls; i++)
		MPI_Comm_rank(MPI_COMM_SELF, &rank);
	return cpu_seconds() - start;
}

static KEPT double sendrecv_loop(long calls)
{
	double start = cpu_seconds(), out = 1, in;

	for (long i = 0; i < calls; i++)
		MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, 0, &in, 1, MPI_DOUBLE, 0,
			     0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	return cpu_seconds() - start;
}

static KEPT double fall(int depth, double (*loop)(long), long calls)
{
	double took = depth > 0 ? fall(depth - 1, loop, calls) : loop(calls);

	__asm__ volatile("");
	return took;
}

static void measure(const char *name, double (*loop)(long), long calls)
{
	static const int depths[] = { 2, 20, 60 };

	for (int i = 0; i < 3; i++) {
		double best = 1e9;

		/* main, measure, fall once more than asked for, and the loop */
		for (int t = 0; t < TURNS; t++) {
			double took = fall(depths[i] - 4, loop, calls);

			best = took < best ? took : best;
		}
		printf("%s %d %.2f\n", name, depths[i],
		       best * 1e9 / (double)calls);
	}
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000000;

	MPI_Init(&argc, &argv);
	measure("MPI_Comm_rank", rank_loop, calls);
	measure("MPI_Sendrecv", sendrecv_loop, calls);
	MPI_Finalize();
	return 0;
}
