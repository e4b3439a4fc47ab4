/* SPDX-License-Identifier: BSD-3-Clause */
/* empty-pmpi.c - the floor of an MPI wrapper: one that does nothing. */
#include <mpi.h>

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	return PMPI_Comm_rank(comm, rank);
}
