/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-call.c CALLS - the loops of mpi-loops.h at call depths 2, 20 and 60.
 *
 * Prints one line for each: the name, the depth and the nanoseconds of a
 * call, the best of 5 turns.
 */
#define MPI_CALL(name, ...) MPI_##name(__VA_ARGS__)
#include "mpi-loops.h"

#define TURNS 5

#define IN_PLACE inline __attribute__((always_inline))

static IN_PLACE double timed(const struct loop *loop, long rounds)
{
	double start = loop->clock();

	loop->run(rounds);
	return loop->clock() - start;
}

/* The loop, below so many frames of this. */
static KEPT double fall(int frames, const struct loop *loop, long rounds)
{
	double took = frames > 1 ? fall(frames - 1, loop, rounds)
				 : timed(loop, rounds);

	__asm__ volatile("");
	return took;
}

static IN_PLACE void measure(const struct loop *loop, long calls)
{
	long rounds = calls / loop->calls;

	for (size_t i = 0; i < DEPTHS; i++) {
		double best = 1e9, took;
		int frames = depths[i] - 2; /* beside main and the loop */

		for (int t = 0; t < TURNS; t++) {
			MPI_Barrier(MPI_COMM_WORLD);
			took = frames ? fall(frames, loop, rounds)
				      : timed(loop, rounds);
			best = took < best ? took : best;
		}
		if (rank == 0)
			printf("%s %d %.2f\n", loop->name, depths[i],
			       best * 1e9 / (double)(rounds * loop->calls));
	}
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 300000;
	int ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < LOOPS; i++)
		if (loops[i].ranks == ranks)
			measure(&loops[i], calls);
	MPI_Finalize();
	return 0;
}
