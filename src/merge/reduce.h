/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce.h - what the processes of a team have read becomes one at the root, in
 * a tree: in step s each 2^(s+1)th process adds what the one 2^s behind it has,
 * which by then stands for as many.  The way back goes through the same tree.
 *
 * Failure   The root tells the others how it went, on the way: -ECANCELED, with
 *           a reason, is theirs when it failed.  All return err, or -errno.
 */
#pragma once

#include "merge/merging.h"

/* The list of files, which the root has made; `err` is how that went. */
int reduce_tell_inputs(struct merging *m, int err);

/* Put together; afterwards only the root has more than values. */
int reduce(struct merging *m);
void reduce_fini(struct merging *m);

/*
 * What is not to be read is the root's to say: *wanted, the job by malloc, NULL
 * for all, and whether inputs are copies, with which.
 */
int reduce_tell_choice(struct merging *m, int err, char **wanted, bool *copies);

/*
 * The root: became[] says what the nodes of the unified tree became in the run,
 * order[] what its processes did.
 */
int reduce_tell_tree(struct merging *m, int err, const uint32_t *became,
		     const uint32_t *order);

/* The others: their run is what values need to know of it, and their values. */
int reduce_hear_tree(struct merging *m);
