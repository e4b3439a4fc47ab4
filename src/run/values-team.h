/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values-team.h - of a team, each process has the values of the ranks whose
 * files it has read; all of them come to the root.
 *
 * Statistics, the sums of paths and the order by rank need all values of a
 * node, of a path, or of a rank, and the root writes them: they are its, and
 * its threads', work.
 */
#pragma once

#include "run/run.h"
#include "run/team.h"

/*
 * Before: the run has its nodes, number of ranks and metrics, and the source of
 * this process's values.  After: the root's source is of all values, and there
 * is none elsewhere.  0, or -errno with a reason.
 */
int values_to_root(struct run *run, struct team *team);
