/* SPDX-License-Identifier: BSD-3-Clause */
/* empty-pmpi.c - the floor of an MPI wrapper: one that does nothing. */
#include <mpi.h>

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	return PMPI_Comm_rank(comm, rank);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag,
	       MPI_Status *status)
{
	return PMPI_Iprobe(source, tag, comm, flag, status);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	return PMPI_Test(request, flag, status);
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest,
	     int tag, MPI_Comm comm)
{
	return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag,
	     MPI_Comm comm, MPI_Status *status)
{
	return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
}

int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest,
	      int tag, MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag,
	      MPI_Comm comm, MPI_Request *request)
{
	return PMPI_Irecv(buf, count, datatype, source, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
	return PMPI_Waitall(count, requests, statuses);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count,
		  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
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
