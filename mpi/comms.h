/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * comms.h - what is remembered of each communicator from its first call on,
 * and of each persistent request.
 *
 * Ownership   A struct comm is valid until comm_forget() of its communicator,
 *             or until the thread's next comm_of() when there are too many.
 * Threads     Any.
 */
#ifndef MPI_COMMS_H
#define MPI_COMMS_H

#include <mpi.h>
#include <stdbool.h>

#include "collect/region.h"

struct comm {
	live_ref live; /* 0: not recorded */
	bool inter;
	int size, rank; /* of the own group */
	int peers;      /* blocks in a collective's buffer: the remote group's
			   size of an intercommunicator, else size */
	/* Neighbours of a topology, and those of them that exist. */
	int source_blocks, target_blocks;
	int sources, targets;
};

/* Never NULL, for a valid communicator. */
const struct comm *comm_of(MPI_Comm comm);

/* The communicator is about to be freed. */
void comm_forget(MPI_Comm comm);

/* One more call on it. */
static inline void comm_call(MPI_Comm comm)
{
	live_ref live = comm_of(comm)->live;

	if (live)
		copse_comm_call(live);
}

/* What each start of a persistent request sends and receives. */
void request_keep(MPI_Request request, struct region_values values);
void request_forget(MPI_Request request);

/* The sum over requests that were just started. */
struct region_values request_sum(int count, const MPI_Request requests[]);

#endif
