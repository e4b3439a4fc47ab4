/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * site.h - the call sites that adapters were last called from, each with its
 * call path's node and with the words of the stack that the path hangs on.  As
 * long as these are what they were, a walk from there would read nothing else:
 * so comparing them is enough (some 10 ns at depth 20, a walk takes 100).
 *
 * Threads   A struct sites belongs to one thread.
 * Signals   All may run in a handler, while the thread is not busy.
 */
#ifndef COLLECT_SITE_H
#define COLLECT_SITE_H

#include "base/sigsafe.h"
#include "collect/region.h"
#include "collect/unwind.h"

enum {
	SITE_SETS = 32,
	SITE_WAYS = 2,
	SITE_WORDS = 96, /* paths that need more are walked each time */
};

struct site {
	uintptr_t pc, sp, fp;    /* of the caller */
	uintptr_t inside;        /* region's */
	struct cfi_frame beyond; /* the program's call, when that is set */
	bool fp_matters;
	const struct region_name *name;
	live_ref root, node;    /* above the path, and below it */
	uint32_t code, profile; /* generations that it is true for */
	uint32_t count;         /* of words */
	uint32_t turn;          /* of its set, in the first of it */
	struct live_call *call; /* NULL: none yet */
	struct unwind_word words[SITE_WORDS];
};

struct sites {
	struct site at[SITE_SETS][SITE_WAYS];
};

struct thread;

/* The site that a region was entered from, if it is known; else NULL. */
SIGSAFE struct site *site_find(struct thread *t, const struct region *r);

/* Another thread goes on with it, on another stack. */
void sites_forget(struct sites *sites);

/* The region's node was just walked: remember it.  NULL: it cannot be. */
SIGSAFE struct site *site_learn(struct thread *t, const struct region *r,
				live_ref node);

/* The same of a region that was called back for: its path begins beyond. */
SIGSAFE struct site *site_learn_beyond(struct thread *t, const struct region *r,
				       live_ref node,
				       const struct unwind_beyond *beyond);

#endif
