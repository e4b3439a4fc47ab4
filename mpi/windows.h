/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * windows.h - what is remembered of each window of one-sided communication: its
 * processes, as if they had a communicator of their own.  Fences are its
 * collective calls.
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
	struct epoch access, exposure;
};

/*
 * A window was made by a call that all processes of `comm` have made; to be
 * called before this call is numbered.
 */
void window_made(MPI_Win win, MPI_Comm comm);

/* NULL: not known: no wait states on it. */
struct window *window_find(MPI_Win win);

/*
 * It is about to be freed: its processes, for one more call, whose ranks are
 * not asked for; with id 0, it was not known.
 */
struct comm window_forget(MPI_Win win);

void windows_forked(void); /* in the child */
