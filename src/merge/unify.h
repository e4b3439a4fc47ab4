/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unify.h - the trees of many processes become one: first by address, while
 * the profiles pass, then by name, once, at the end.
 *
 * Memory     follows the unified tree, and that of records.h; a profile may be
 *            freed as soon as its values were added.
 * Threads    Of each profile: unify_look(), unify_add(), unify_add_values(), in
 *            this order.  Several threads may be in the first and the last, and
 *            one in unify_add() meanwhile; the tree depends on the order of
 *            the latter alone.
 * Ownership  unify_finish() moves what it makes into the run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "run/run.h"
#include "symbol/symbol.h"
#include "profile/profile.h"

struct unify;

/* NULL when out of memory.  Records beyond the memory go to the directory. */
struct unify *unify_new(const char *directory);
void unify_free(struct unify *unify); /* NULL is fine */

/*
 * Before anything of a profile is taken, since a file is foreign input: -EINVAL
 * with a reason when it contradicts itself.
 */
int unify_check(const struct profile *profile);

/* What a profile's nodes and metrics are in the unified tree. */
struct unify_added {
	uint32_t *nodes, *metrics;
	bool complete; /* the tree has them all */
};

/*
 * Before unify_add(), by any thread, also while another one adds: what is there
 * already need not be looked for when it is this profile's turn.  0, or -ENOMEM
 * with a reason.
 */
int unify_look(struct unify *unify, const struct profile *profile,
	       struct unify_added *added);

/*
 * Add the tree and the metrics of one process, whose profile was checked and
 * looked for; one at a time.  0, or -ENOMEM with a reason.
 */
int unify_add(struct unify *unify, const struct profile *profile,
	      struct unify_added *added);

/*
 * Then its values, by any thread; it is `process` in them.  0, or -errno with a
 * reason.
 */
int unify_add_values(struct unify *unify, const struct profile *profile,
		     const struct unify_added *added, uint32_t process);

void unify_added_fini(struct unify_added *added);

/* Nodes of the unified tree that somebody refers to, besides values. */
struct unify_references {
	bool *wanted;     /* of each node, unify_size() of them */
	uint32_t *became; /* the run's node for those */
};

size_t unify_size(const struct unify *unify);

/*
 * Find all names and make the run's nodes, metrics and the source of their
 * values, without the statistics and the number of values.  order[r] is the
 * index in run->ranks of what the records have as process r, or UINT32_MAX to
 * leave it out.  Modules without names become problems of the run.  0, or
 * -ENOMEM with a reason.
 */
int unify_finish(struct unify *unify, struct run *run, const uint32_t *order,
		 const struct unify_references *references,
		 const struct symbol_progress *progress);
