/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * openmpi.h - what is Open MPI's own: how it is recognised, and what it keeps
 * where.  mpich.h and abi.h are the others; MPI_LIBRARY says which to include.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/libmpi.h"

#define MPI_LIBRARY_IS_STANDARD false

/*
 * The predefined handles are data of the library; `find` looks a symbol up.
 * False when the library is another MPI.
 */
static inline bool mpi_library_is_ours(struct pmpi *to,
				       void *(*find)(const char *symbol))
{
	return (to->world = find("ompi_mpi_comm_world")) &&
	       (to->self = find("ompi_mpi_comm_self")) &&
	       (to->no_comm = find("ompi_mpi_comm_null")) &&
	       (to->no_type = find("ompi_mpi_datatype_null")) &&
	       (to->no_op = find("ompi_mpi_op_no_op")) &&
	       (to->no_request = find("ompi_request_null")) &&
	       (to->completed = find("ompi_request_empty"));
}

/* It stands for any request that was complete at once. */
static inline bool mpi_request_is_complete(MPI_Request request)
{
	return request == pmpi.completed;
}

/*
 * MPI_Waitall tells an error of a persistent request only a program that wants
 * no statuses, in 4.1: one that does not must not be given any.
 */
static inline bool mpi_statuses_hide_errors(void)
{
	return true;
}

/* The bytes that a completed receive brought. */
static inline uint64_t status_bytes(const MPI_Status *status)
{
	return status->_ucount;
}
