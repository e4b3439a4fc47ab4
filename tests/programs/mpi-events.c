/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-events.c - pages touched for the first time between MPI calls, more on
 * each rank: rank r touches (r + 1) * 100 before each of 20 barriers.
 *
 * A truth is a rank's count: truth touched RANK COUNT.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/mman.h>

#include "known.h"

enum {
	PAGE = 4096,
	ROUNDS = 20,
	STEP = 100,
};

KEPT static void touch(volatile char *at, long count)
{
	for (long i = 0; i < count; i++)
		at[i * PAGE] = 1;
}

KEPT static void rounds(char *at, long count)
{
	for (int i = 0; i < ROUNDS; i++) {
		touch(at, count);
		MPI_Barrier(MPI_COMM_WORLD);
		at += count * PAGE;
	}
}

int main(int argc, char **argv)
{
	char *at;
	int rank;
	long count;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	count = (rank + 1) * STEP;
	at = mmap(NULL, (size_t)(ROUNDS * count) * PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		MPI_Abort(MPI_COMM_WORLD, 1);
	madvise(at, (size_t)(ROUNDS * count) * PAGE, MADV_NOHUGEPAGE);
	rounds(at, count);
	printf("truth touched %d %ld\n", rank, ROUNDS * count);
	MPI_Finalize();
	return 0;
}
