/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.h - the processes of a team, each of which has the values of some
 * ranks for all nodes, get those of all ranks for some nodes.
 *
 * A metric's values, node after node as they will stand in the file, are cut
 * into bundles; process (bundle + metric) % size owns one.  A node that lies in
 * several bundles goes to the owner of each, and its statistics are made where
 * it begins.
 */
#ifndef MERGE_SPREAD_H
#define MERGE_SPREAD_H

#include "merge/run.h"
#include "merge/team.h"
#include "merge/values.h"

static inline int spread_owner(const struct team *team, size_t metric,
			       uint64_t bundle)
{
	return team ? (int)((bundle + metric) % (uint64_t)team->size) : 0;
}

/*
 * Before: the run has its nodes, number of ranks and metrics, and the source of
 * this process's values.  After: first[] of all metrics, of all processes, and
 * the source of the values that this process owns.  More of them than fit into
 * memory go to the directory.  0, or -errno with a reason.
 */
int spread_values(struct run *run, struct team *team, const char *directory);

#endif
