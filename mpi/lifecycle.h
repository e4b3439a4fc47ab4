/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lifecycle.h - what functions.tbl wants to happen before or after some
 * functions, counted or not.
 */
#pragma once

#include <mpi.h>

#include "mpi/comms.h"

/*
 * Before the first wrapper runs, which takes locks: what is known is reset in
 * forked children.  A process without MPI does nothing for it.  Not in
 * MPI_Init: threads may be here before it, and sessions have none.
 */
void lifecycle_watch_forks(void);

/* MPI runs: who are we?  Also while nothing is measured. */
void lifecycle_announce(void);

/* Its world is over. */
void lifecycle_finished(void);

/*
 * What frees a handle forgets it first: another thread may get it next.  A
 * program may be wrong, and its handle none, or one that cannot be freed.
 */
void lifecycle_comm_gone(const MPI_Comm *comm);
void lifecycle_request_gone(const MPI_Request *request);

/* The remote group of *made is of processes that this call has started. */
void lifecycle_comm_spawned(int root, MPI_Comm comm, const MPI_Comm *made);

/* What was known of it; id 0: nothing. */
struct comm lifecycle_window_gone(const MPI_Win *win);
