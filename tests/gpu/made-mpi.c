/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-mpi.c - ranks with a made CUDA: rank r launches 10 (r + 1) alphas of
 * 1 ms each, and all of them one of 5 ms from inside MPI_Allreduce at least.
 * endless: rank 1 waits for two alphas that do not end.
 */
#include <string.h>

#include <mpi.h>

#include "made-cuda.h"

static volatile int sink;

__attribute__((noinline, noclone)) static void solve(int rank)
{
	for (int i = 0; i < 10 * (rank + 1); i++)
		made_cudaLaunchKernel("_Z5alphaPfi", 0, 1000000);
	sink++;
}

__attribute__((noinline, noclone)) static void wait_in_vain(void)
{
	made_cudaLaunchKernel("_Z5alphaPfi", 0, MADE_ENDLESS);
	made_cudaLaunchKernel("_Z5alphaPfi", 0, MADE_ENDLESS);
	made_cudaDeviceSynchronize(1000000000000u);
	sink++;
}

/* What a reduction is made of, as an MPI that knows of GPUs does it. */
static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
	const int *from = in;
	int *to = inout;

	(void)type;
	for (int i = 0; i < *count; i++)
		to[i] += from[i];
	made_cudaLaunchKernel("_Z6reducePi", 1, 5000000);
}

/* Rank r copies r + 1 times, into r + 1 MiB. */
static void move(int rank)
{
	uint64_t to = made_cudaMalloc((uint64_t)(rank + 1) << 20);

	for (int i = 0; i <= rank; i++)
		made_cudaMemcpyAsync(MADE_TO, 1 << 20, 500000);
	made_cudaFree(to);
	sink++;
}

int main(int argc, char **argv)
{
	int rank, one = 1, sum = 0;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Op_create(add, 1, &op);
	solve(rank);
	move(rank);
	if (rank == 1 && argc > 1 && !strcmp(argv[1], "endless"))
		wait_in_vain();
	MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	MPI_Finalize();
	return sum < 1;
}
