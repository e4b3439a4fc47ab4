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
#ifndef MPI_WINDOWS_H
#define MPI_WINDOWS_H

#include "mpi/comms.h"

/*
 * A window was made by a call that all processes of `comm` have made; to be
 * called before this call is numbered.
 */
void window_made(MPI_Win win, MPI_Comm comm);

/* NULL: not known: no wait states on it. */
struct comm *window_find(MPI_Win win);

/* It is about to be freed: what was known; with id 0, nothing. */
struct comm window_forget(MPI_Win win);

#endif
