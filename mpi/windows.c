/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.c - a table of windows, for the life of the process. */
#include "mpi/windows.h"

#include "mpi/hash.h"

#define WINDOW_BITS 9

static _Atomic uintptr_t keys[1 << WINDOW_BITS];
static struct comm slots[1 << WINDOW_BITS];
static struct handles windows = { keys, WINDOW_BITS,
				  PTHREAD_MUTEX_INITIALIZER };

/* No number of a call on the communicator is so high. */
static uint64_t new_id(const struct comm *comm)
{
	return hash_pair(comm->id, ~comm->instances) | 1;
}

void window_made(MPI_Win win, MPI_Comm handle)
{
	const struct comm *comm = comm_of(handle);
	int slot;

	window_forget(win); /* freed by a way that we do not see */
	slot = comm->id ? handles_reserve(&windows, handle_key(win)) : -1;
	if (slot < 0)
		return;
	slots[slot] = (struct comm){ .id = new_id(comm),
				     .size = comm->size,
				     .rank = comm->rank };
	handles_publish(&windows, slot, handle_key(win));
}

struct comm *window_find(MPI_Win win)
{
	int slot = handles_find(&windows, handle_key(win));

	return slot >= 0 ? &slots[slot] : NULL;
}

struct comm window_forget(MPI_Win win)
{
	const struct comm *known = window_find(win);
	struct comm gone = { 0 };

	if (known)
		gone = *known;
	handles_remove(&windows, handle_key(win));
	return gone;
}
