/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gatherer.h - what gathers one kind of data from the profiles of all processes
 * and puts it into the run: all but call paths and their values.
 *
 * A gatherer is a file that defines gatherer_NAME, and the file's name in
 * GATHERERS (src/merge/local.mk).  It may leave out each function.
 *
 * Order     That of the list: a gatherer finds in the run what those before it
 *           have put there.
 * Threads   look() by any thread, for several profiles at a time; the others
 *           by one at a time.
 * Failure   0, or -ENOMEM with a reason.
 */
#pragma once

#include "profile/profile.h"
#include "run/run.h"

struct gathered { /* a profile that passes */
	const struct profile *profile;
	uint32_t process;      /* its number, in the order of reading */
	const uint32_t *nodes; /* what its nodes are in the unified tree */
	void *found;           /* by look() */
	struct run *run;       /* run->ranks[process] is this one */
};

struct gatherer {
	size_t size; /* of its state, which is all zero before init() */
	int (*init)(void *state);
	void (*fini)(void *state);

	/* Before add(): what takes long.  *found is freed by free(). */
	int (*look)(void **found, const struct profile *profile);
	int (*add)(void *state, const struct gathered *one);

	/* The nodes of the unified tree that it refers to. */
	void (*wanted)(const void *state, bool *wanted);
	/*
	 * Once the run has its ranks and nodes: order[] and became[] say what
	 * processes and wanted nodes became.
	 */
	int (*finish)(void *state, struct run *run, const uint32_t *order,
		      const uint32_t *became);
};
