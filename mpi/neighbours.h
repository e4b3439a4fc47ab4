/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * neighbours.h - to whom the calls on a communicator with a topology send, and
 * from whom they receive: found at the first one.
 *
 * A process waits for its neighbours alone, so such a call is a message to and
 * from each of them, if it moves anything.
 *
 * Threads     Any, but one at a time on one communicator, as MPI has it.
 */
#pragma once

#include "mpi/comms.h"

struct edge {      /* one for each block of a buffer */
	int world; /* the other end's rank; -1: none, or this process */
	int first; /* edge to the same process; blocks move together */
	bool moves;
};

struct neighbours {
	int sources, targets;
	struct edge *edges; /* sources, then targets */
};

/* NULL: out of memory, or too many communicators. */
struct neighbours *neighbours_of(const struct comm *comm, MPI_Comm handle);

/* Has it a byte?  Out of line: other wrappers stay what they are. */
bool moves(MPI_Aint count, MPI_Datatype type);

/* Block i of all, in the call that is being noted. */
static inline void neighbour_edge_moves(struct neighbours *n, int i, bool moves)
{
	n->edges[i].moves = false;
	n->edges[n->edges[i].first].moves |= moves;
}
