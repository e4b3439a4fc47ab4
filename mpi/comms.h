/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * comms.h - what is remembered of each communicator, from its making or its
 * first call on.
 *
 * A communicator's id is the same in all its processes, without a word between
 * them: it follows from the ranks in MPI_COMM_WORLD of its members and from how
 * many communicators of these members were made before, which is the same for
 * all of them, but where threads make some at the same time.
 *
 * Ownership   A struct comm is valid until comm_forget() of its communicator,
 *             or until the thread's next comm_of() when there are too many.
 * Threads     Any.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>

#include "base/hidden.h"
#include "collect/regions/region.h"
#include "mpi/handles.h"

struct comm {
	uint64_t id;            /* 0: not known: no wait states on it */
	live_ref ref;           /* 0: not recorded */
	struct live_comm *live; /* NULL: the same */
	uint64_t instances;     /* collective calls that were numbered */
	bool inter;
	bool all;       /* its processes are those of MPI_COMM_WORLD */
	int size, rank; /* of the own group */
	int peers;      /* blocks in a collective's buffer: the remote group's
			   size of an intercommunicator, else size */
	/* Neighbours of a topology, and those of them that exist. */
	int source_blocks, target_blocks;
	int sources, targets;
	/* Ranks in MPI_COMM_WORLD of those to whom messages go. */
	int first;
	int *world; /* NULL: first, first + 1, … */
};

/* Set when threads may call MPI at the same time. */
extern HIDDEN bool comms_threads;

/* This process's in MPI_COMM_WORLD. */
extern int comms_world_rank;

static inline void comms_count(uint64_t *counter)
{
	if (comms_threads)
		__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
	else
		++*counter;
}

/* MPI has started; it has ended. */
void comms_init(void);
void comms_fini(void);

void comms_forked(void); /* in the child */

/* Those that are known, by handle. */
#define COMM_BITS 9
extern struct handles comms;
extern HIDDEN _Atomic uintptr_t comm_keys[1 << COMM_BITS];
extern HIDDEN struct comm comm_slots[1 << COMM_BITS];

/* Likewise by slot, but not read in each call: filled by neighbours_of(). */
extern struct neighbours *comm_neighbours[1 << COMM_BITS];

/* One that is not. */
struct comm *comm_meet(MPI_Comm handle);

/* Never NULL, for a valid communicator. */
static inline struct comm *comm_of(MPI_Comm handle)
{
	int slot = handles_find_in(comm_keys, COMM_BITS, handle_key(handle));

	return slot >= 0 ? &comm_slots[slot] : comm_meet(handle);
}

/* NULL: not known, or freed by now. */
static inline struct comm *comm_find(MPI_Comm handle)
{
	int slot = handles_find_in(comm_keys, COMM_BITS, handle_key(handle));

	return slot >= 0 ? &comm_slots[slot] : NULL;
}

/* A communicator was made by a call that all its processes have made. */
void comm_made(MPI_Comm comm);
void comm_named(MPI_Comm comm, const char *name);

/* The communicator is about to be freed. */
void comm_forget(MPI_Comm comm);

/* The rank in MPI_COMM_WORLD of one of its processes; -1: in another world. */
static inline int comm_world(const struct comm *comm, int rank)
{
	if (rank < 0 || rank >= comm->peers)
		return -1;
	return comm->world ? comm->world[rank] : comm->first + rank;
}

/* Where collective calls of all ranks are counted, and who wants to know. */
extern HIDDEN struct copse_steering *comms_steering;

/*
 * A collective call on it is over, measured or not.  All ranks make those of
 * all of MPI_COMM_WORLD in the same order: at the same number all turn over.
 */
static inline void comm_called_by_all(const struct comm *comm)
{
	struct copse_steering *s = comms_steering;
	uint64_t calls;

	if (!comm->all)
		return;
	comms_count(s->calls);
	calls = __atomic_load_n(s->calls, __ATOMIC_RELAXED);
	if (calls >= s->turn_at ||
	    __atomic_load_n(s->asked, __ATOMIC_RELAXED) != s->seen)
		copse_steering_turn(calls);
}

/* The same of one that was not measured: its number goes on. */
static inline void comm_passed(struct comm *comm)
{
	comm->instances++;
	if (comm->live)
		comm->live->instances = comm->instances;
	comm_called_by_all(comm);
}

/* One more call on it; its name for the call's record. */
static inline live_ref comm_call(const struct comm *comm)
{
	if (comm->live)
		comms_count(&comm->live->calls);
	return comm->ref;
}
