/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * abi.h - what is of the standard binary interface, whichever MPI has it: the
 * counterpart of openmpi.h and mpich.h.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/libmpi.h"

#define MPI_LIBRARY_IS_STANDARD true

/* Handles are numbers, or addresses in Open MPI's and MPICH's own memory. */
static inline bool mpi_library_is_ours(struct pmpi *to,
				       void *(*find)(const char *symbol))
{
	to->world = MPI_COMM_WORLD;
	to->self = MPI_COMM_SELF;
	to->no_comm = MPI_COMM_NULL;
	to->no_type = MPI_DATATYPE_NULL;
	to->no_op = MPI_NO_OP;
	to->no_request = MPI_REQUEST_NULL;
	to->completed = find("ompi_request_empty");
	return true;
}

/* Open MPI has one, MPICH some: its numbers are those of mpich.h. */
static inline bool mpi_request_is_complete(MPI_Request request)
{
	if (pmpi.completed)
		return request == pmpi.completed;
	return (uint32_t)pmpi.Request_toint(request) >> 30 == 1;
}

static inline bool mpi_statuses_hide_errors(void)
{
	return true; /* Open MPI's may */
}

/* Where a status has them differs. */
static inline uint64_t status_bytes(const MPI_Status *status)
{
	MPI_Count bytes = 0;

	pmpi.Get_count_c(status, MPI_BYTE, &bytes);
	return bytes > 0 ? (uint64_t)bytes : 0;
}
