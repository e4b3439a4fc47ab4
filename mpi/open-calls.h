/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open-calls.h - whom a call may wait for, written into the live profile before
 * the call.  Nothing here asks MPI: an argument may be wrong still.
 */
#pragma once

#include "mpi/comms.h"
#include "mpi/requests.h"
#include "mpi/windows.h"

/* A rank of the communicator, or a negative number of MPI's. */
static inline int32_t open_peer(const struct comm *comm, int rank)
{
	int world;

	if (rank == MPI_ANY_SOURCE)
		return LIVE_OPEN_ANY;
	if (rank < 0)
		return LIVE_OPEN_NONE;
	world = comm ? comm_world(comm, rank) : -1;
	return world < 0 ? LIVE_OPEN_UNKNOWN : world;
}

/* comm: NULL: not known. */
static inline void open_call_on(const struct region *region,
				const struct comm *comm)
{
	if (region->open && comm)
		region->open->comm = comm->ref;
}

static inline void open_call_with(const struct region *region,
				  const struct comm *comm,
				  enum live_direction direction, int rank,
				  int tag)
{
	struct live_open_call *open = region->open;

	if (!open)
		return;
	open->comm = comm ? comm->ref : 0;
	open->peer = open_peer(comm, rank);
	open->tag = tag;
	open->direction = direction;
}

static inline const struct comm *open_window_comm(uintptr_t key)
{
	const struct window *window = window_find(key);

	return window ? &window->as : NULL;
}

/* The first that is not complete yet stands for all. */
void open_call_of_requests(const struct region *region,
			   const struct before *before);
