/* SPDX-License-Identifier: BSD-3-Clause */
/* elapsed.h - how long a run took, and which processes can be compared. */
#pragma once

#include <stdbool.h>

#include "run/run.h"

/*
 * From the first start of a process to the last end of one, in seconds; of
 * several hosts, whose times of day differ, that of the host where it is
 * longest.  0, or -ENOMEM with a reason.
 */
int elapsed_of(double *seconds, const struct run *run);

/* There was a moment when all members ran, so that one may wait for another. */
bool elapsed_together(const struct run *run);

/*
 * Members without MPI do the same work, as far as anybody can know, when they
 * have one command line and none was started by another of them: that one has
 * them work for it, as Python's DataLoader does.  0, or -ENOMEM with a reason.
 */
int elapsed_of_same_work(bool *same, const struct run *run);
