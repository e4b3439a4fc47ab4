/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpich.h - what is MPICH's own, and its relatives' of the same binary
 * interface: the counterpart of openmpi.h.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/libmpi.h"

#define MPI_LIBRARY_IS_STANDARD false

/* Handles are numbers; MPI_UNWEIGHTED is data, which no other MPI has. */
static inline bool mpi_library_is_ours(struct pmpi *to,
				       void *(*find)(const char *symbol))
{
	to->world = MPI_COMM_WORLD;
	to->self = MPI_COMM_SELF;
	to->no_comm = MPI_COMM_NULL;
	to->no_type = MPI_DATATYPE_NULL;
	to->no_op = MPI_NO_OP;
	to->no_request = MPI_REQUEST_NULL;
	return find("MPI_UNWEIGHTED");
}

/*
 * Some built-in ones stand for all requests that were complete at once; the
 * two highest bits of a handle say how it is stored, and 1 is built in.
 */
static inline bool mpi_request_is_complete(MPI_Request request)
{
	return (uint32_t)request >> 30 == 1;
}

static inline bool mpi_statuses_hide_errors(void)
{
	return false;
}

/* 63 bits; the lowest of the second word says that it was cancelled. */
static inline uint64_t status_bytes(const MPI_Status *status)
{
	uint64_t high = (uint32_t)status->count_hi_and_cancelled >> 1;

	return high << 32 | (uint32_t)status->count_lo;
}
