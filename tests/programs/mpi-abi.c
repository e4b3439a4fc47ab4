/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-abi.c - calls of the standard binary interface of MPI, with messages to
 * itself; scripts link it with made-abi.c.
 */
#include <mpi.h>
#include <stdio.h>

#define INT ((MPI_Datatype)0x209)
#define SUM ((MPI_Op)0x21)

int main(int argc, char **argv)
{
	int in[20] = { 0 }, out[50], failed = 0;
	MPI_Request request;

	failed += MPI_Init(&argc, &argv);
	for (int i = 0; i < 10; i++) {
		failed += MPI_Send(in, 20, INT, 0, i, MPI_COMM_WORLD);
		failed += MPI_Recv(out, 50, INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
				   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < 7; i++) {
		failed += MPI_Isend(in, 3, INT, 0, i, MPI_COMM_WORLD, &request);
		failed += MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	failed += MPI_Allreduce(in, out, 5, INT, SUM, MPI_COMM_WORLD);
	failed += MPI_Finalize();
	printf("failed: %d\n", failed);
	return failed != 0;
}
