/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-spin.cu [GPUS] - ranks on one GPU, or one GPU each where there are as
 * many (GPUS: how many it wants at least).  Rank r launches r + 1 times as many
 * kernels as rank 0, then all meet: the last one makes the others' time on the
 * device idle.
 */
#include <mpi.h>

#include "gpu.h"

#define ROUNDS 10
#define EACH   5

SPIN_KERNEL(spin_ranks)

static int rank, ranks;
static double met; /* seconds, with nothing on the device */

static STAYS void compute(struct tally *t)
{
	for (int i = 0; i < EACH * (rank + 1); i++)
		SPIN(spin_ranks, 2 * MS, t, 0);
	TRY(cudaDeviceSynchronize());
}

static STAYS double meet(double value)
{
	double sum, start = clock_seconds();

	MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	met += clock_seconds() - start;
	return sum;
}

/* All ranks have to end as one, or mpirun tells of a crash. */
static void choose_device(int wanted)
{
	int have = 0;

	if (cudaGetDeviceCount(&have) != cudaSuccess || have < wanted) {
		if (rank == 0)
			fprintf(stderr, "skip: needs %d GPUs, found %d\n",
				wanted, have);
		MPI_Finalize();
		exit(77);
	}
	TRY(cudaSetDevice(rank % have));
}

static void say_own(void)
{
	tallies_and_calls_say();
	measured("idle", "MPI_Allreduce", "meet", "time", met);
}

/* Rank by rank, so that the output is the same each time. */
static void say(const struct tally *t, double sum)
{
	for (int r = 0; r < ranks; r++) {
		if (r == rank)
			say_own();
		fflush(stdout);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank > 0)
		return;
	printf("%d ranks met, sum %.0f\n", ranks, sum);
	/* Of the kernels: the last rank has r + 1 of (r + 2) / 2 on average. */
	truth("balance", t->kernel, t->path, "imbalance",
	      2.0 * ranks / (ranks + 1) - 1);
	truth("api", "cudaDeviceSynchronize", "compute", "calls",
	      (double)ranks * ROUNDS);
}

int main(int argc, char **argv)
{
	struct tally *t;
	double sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	choose_device(argc > 1 ? atoi(argv[1]) : 1);
	t = tally_new("spin_ranks", "compute");
	for (int i = 0; i < ROUNDS; i++) {
		compute(t);
		sum += meet(rank + 1);
	}
	say(t, sum);
	MPI_Finalize();
	return 0;
}
