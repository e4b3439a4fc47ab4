/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team.h - several processes that merge one directory, and how they talk.  The
 * merge itself knows no MPI: who has one (tools/mpi/merge-mpi.c) fills this in.
 *
 * Processes  All call merge_save() with the same arguments; number 0 is the
 *            root: it finds names, and writes the database.
 * Calls      Each but send and receive is made by all, in the same order, and
 *            by the thread that called merge_save().
 * Failure    0, or -ENOMEM with a reason.  Whoever fails has to end the others:
 *            they may be waiting for it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/blob.h"

struct team {
	int rank, size;
	bool over; /* all know that the root has failed: they end by themselves
		    */
	int (*send)(struct team *team, int to, const struct blob *blob);
	/* The next that the other sends to this one, in place of *blob. */
	int (*receive)(struct team *team, int from, struct blob *blob);
	/* The root's *blob, in place of that of the others. */
	int (*share)(struct team *team, struct blob *blob);
	/* Each number becomes the sum of all processes' numbers. */
	int (*sum)(struct team *team, uint64_t *at, size_t count);
};

/* NULL is a team of one. */
static inline int team_size(const struct team *team)
{
	return team ? team->size : 1;
}

static inline bool team_is_root(const struct team *team)
{
	return !team || !team->rank;
}
