/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shift.c - ranks in an open line pass blocks on to their neighbours, beyond
 * the ends is MPI_PROC_NULL: 500 bytes to the right, by MPI_Sendrecv, and 200
 * bytes to the right and then to the left, twice, by one MPI_Sendrecv_replace.
 *
 * So each call is of 500, or 200, bytes on each rank, at the ends also; n ranks
 * send n - 1 blocks of 500, and 4 * (n - 1) of 200.
 */
#include <mpi.h>

#include "known.h"

static char out[500], in[500];

static KEPT void shift(int left, int right)
{
	MPI_Sendrecv(out, sizeof(out), MPI_CHAR, right, 1, in, sizeof(in),
		     MPI_CHAR, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static KEPT void swap(int left, int right)
{
	for (int i = 0; i < 4; i++)
		MPI_Sendrecv_replace(out, 200, MPI_CHAR, i % 2 ? left : right,
				     2, i % 2 ? right : left, 2, MPI_COMM_WORLD,
				     MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank, size, left, right;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	left = rank ? rank - 1 : MPI_PROC_NULL;
	right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	shift(left, right);
	swap(left, right);
	MPI_Finalize();
	return 0;
}
