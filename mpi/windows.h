/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * windows.h - what is remembered of each window of one-sided communication: its
 * processes, as if they had a communicator of their own.  Fences are its
 * collective calls.  Files are remembered likewise.
 *
 * Its id follows from the communicator that it was made on and from the number
 * of the call that made it, so it is the same in all its processes.
 *
 * Ownership   What window_find() returns is valid until the window is
 *             forgotten.
 * Threads     Any.
 */
#pragma once

#include "mpi/comms.h"

struct epoch {             /* all zero: none, ever */
	uint32_t *numbers; /* how many there were, by rank in the window */
	int *ranks;        /* of the one that is open */
	int count;         /* of ranks; 0: none is open */
};

struct window {
	struct comm as;
	struct live_comm *made_on; /* NULL: not recorded */
	struct epoch access, exposure;
};

/*
 * key: handle_key() of a window or a file.
 *
 * A window was made by a call that all processes of `comm` have made; to be
 * called before this call is numbered.
 */
void window_made(uintptr_t key, MPI_Comm comm);

/* Of a file; an argument may be wrong still. */
static inline uintptr_t window_file_key(const MPI_File *file)
{
	return file ? handle_key(*file) : 0;
}

/* NULL: not known: no wait states on it. */
struct window *window_find(uintptr_t key);

/*
 * One more lock of the rank in it is held, or one less; -1: of all.  Counted
 * with the communicator that it was made on.
 */
void window_locked(MPI_Win win, int rank, int more);

/*
 * It is about to be freed: its processes, for one more call, whose ranks are
 * not asked for; with id 0, it was not known.
 */
struct comm window_forget(uintptr_t key);

void windows_forked(void); /* in the child */
