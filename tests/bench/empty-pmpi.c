/* SPDX-License-Identifier: BSD-3-Clause */
/* empty-pmpi.c - the floor of an MPI wrapper: one that does nothing. */
#include <mpi.h>

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	return PMPI_Comm_rank(comm, rank);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		 int dest, int sendtag, void *recvbuf, int recvcount,
		 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
		 MPI_Status *status)
{
	return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag,
			     recvbuf, recvcount, recvtype, source, recvtag,
			     comm, status);
}
