/* SPDX-License-Identifier: BSD-3-Clause */
/* elapsed.h - how long a run took, and whether its processes ran together. */
#ifndef ANALYSE_ELAPSED_H
#define ANALYSE_ELAPSED_H

#include <stdbool.h>

#include "merge/run.h"

/*
 * From the first start of a process to the last end of one, in seconds; of
 * several hosts, whose times of day differ, that of the host where it is
 * longest.  0, or -ENOMEM with a reason.
 */
int elapsed_of(double *seconds, const struct run *run);

/* There was a moment when all members ran, so that one may wait for another. */
bool elapsed_together(const struct run *run);

#endif
