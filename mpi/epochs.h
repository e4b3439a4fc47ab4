/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * epochs.h - access and exposure epochs of windows (MPI_Win_start, _complete,
 * _post, _wait): what one end does, the other may wait for, like a message.
 *
 * The n-th time that a process exposes its window to another is that one's n-th
 * access to it: both count, by partner.  Whether MPI_Win_start waits for
 * MPI_Win_post, or MPI_Win_complete does, is MPI's choice; so there is a
 * message for either, which nobody waits for who left before it was sent.
 *
 * Threads     Any, but one at a time on one window.
 */
#pragma once

#include <mpi.h>

#include "collect/regions/region.h"

/* What the calling process did to its windows' epochs, by that call. */
void epoch_posted(const struct region *region, MPI_Group origins, MPI_Win win);
void epoch_started(const struct region *region, MPI_Group targets, MPI_Win win);
void epoch_completed(const struct region *region, MPI_Win win);
void epoch_waited(const struct region *region, MPI_Win win);
