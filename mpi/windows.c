/* SPDX-License-Identifier: BSD-3-Clause */
/* windows.c - a table of windows, for the life of the process. */
#include "mpi/windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define WINDOW_BITS 9

static _Atomic uintptr_t keys[1 << WINDOW_BITS];
static struct window slots[1 << WINDOW_BITS];
static struct handles windows = { keys, WINDOW_BITS,
				  PTHREAD_MUTEX_INITIALIZER };

/* No number of a call on the communicator is so high. */
static uint64_t new_window_id(const struct comm *comm)
{
	return hash_pair(comm->id, ~comm->instances) | 1;
}

/* Its processes' ranks are its own: the communicator may be freed before. */
static void describe_window(struct comm *as, const struct comm *comm)
{
	size_t bytes = (size_t)comm->peers * sizeof(*comm->world);

	*as = (struct comm){ .id = new_window_id(comm),
			     .ref = comm->ref,
			     .size = comm->size,
			     .rank = comm->rank,
			     .peers = comm->peers,
			     .first = comm->first };
	if (!comm->world)
		return;
	as->world = malloc(bytes);
	if (as->world)
		memcpy(as->world, comm->world, bytes);
	else
		as->id = 0;
}

void window_made(uintptr_t key, MPI_Comm handle)
{
	const struct comm *comm = comm_of(handle);
	int slot;

	window_forget(key); /* freed by a way that we do not see */
	slot = comm->id ? handles_reserve(&windows, key) : -1;
	if (slot < 0)
		return;
	slots[slot] = (struct window){ .as.id = 0 };
	describe_window(&slots[slot].as, comm);
	slots[slot].made_on = comm->live;
	handles_publish(&windows, slot, key);
}

struct window *window_find(uintptr_t key)
{
	int slot = handles_find(&windows, key);

	return slot >= 0 ? &slots[slot] : NULL;
}

void window_locked(MPI_Win win, int rank, int more)
{
	const struct window *w = window_find(handle_key(win));

	if (!w || !w->made_on)
		return;
	w->made_on->locked =
		rank < 0 ? LIVE_OPEN_NONE : comm_world(&w->as, rank);
	__atomic_fetch_add(&w->made_on->locks, more, __ATOMIC_RELAXED);
}

static void epoch_fini(struct epoch *e)
{
	free(e->numbers);
	free(e->ranks);
}

struct comm window_forget(uintptr_t key)
{
	struct window *known = window_find(key), w = { .as.id = 0 };

	if (known)
		w = *known;
	handles_remove(&windows, key);
	epoch_fini(&w.access);
	epoch_fini(&w.exposure);
	free(w.as.world);
	w.as.world = NULL;
	return w.as;
}

void windows_forked(void)
{
	handles_forked(&windows);
}
