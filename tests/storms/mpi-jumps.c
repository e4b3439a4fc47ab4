/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-jumps.c - as jumps.c, out of the wrappers of MPI functions that the
 * library itself may be left in, and that end at once.
 */
#include <mpi.h>

#include "jump.h"

static int rank;

static KEPT void ask_mpi(void)
{
	int size, flag;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
	MPI_Type_size(MPI_DOUBLE, &size);
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	storm_begins(argc, argv);
	jump_begins(ask_mpi);
	while (storm_lasts()) {
		jump_out_of(ask_mpi);
		afterwards();
	}
	jump_ends();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (!rank)
		puts("through");
	return 0;
}
