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
#include "collect/registry.h"
#include "collect/unwind.h"

enum {
	SITE_SETS = 32,
	SITE_WAYS = 2,
	SITE_WORDS = 96, /* paths that need more are walked each time */
	SITE_BLOCK = 4,  /* that are compared at a time */
};

struct site {
	uintptr_t pc, sp, fp;    /* of the caller */
	uintptr_t fp_mask;       /* 0: the path does not hang on fp */
	uintptr_t inside;        /* region's */
	struct cfi_frame beyond; /* the program's call, when that is set */
	const struct region_name *name;
	live_ref root, node; /* above the path, and below it */
	struct registry_generations generations; /* that it is true for */
	uint32_t count;         /* of words, filled up to a whole block */
	uint32_t turn;          /* of its set, in the first of it */
	struct live_call *call; /* NULL: none yet */
	struct unwind_word words[SITE_WORDS];
};

struct sites {
	struct site at[SITE_SETS][SITE_WAYS];
};

static inline __attribute__((always_inline)) struct site *
site_set(struct sites *sites, const struct region *r)
{
	uint64_t key = (r->pc ^ r->sp << 20 ^ (uintptr_t)r->name << 7) *
		       0x9e3779b97f4a7c15u;

	return sites->at[(key >> 40) % SITE_SETS];
}

static inline __attribute__((always_inline)) bool
site_holds(const struct site *s)
{
	const struct unwind_word *w = s->words, *end = w + s->count;
	uintptr_t differ = 0;

	for (; w < end && !differ; w += SITE_BLOCK)
		differ = (*w[0].at ^ w[0].value) | (*w[1].at ^ w[1].value) |
			 (*w[2].at ^ w[2].value) | (*w[3].at ^ w[3].value);
	return !differ;
}

static inline __attribute__((always_inline)) bool
site_is(const struct site *s, live_ref root, const struct region *r)
{
	return s->pc == r->pc && s->sp == r->sp && s->name == r->name &&
	       s->inside == r->inside && !((s->fp ^ r->fp) & s->fp_mask) &&
	       s->root == root &&
	       s->generations.profile == registry_generation() &&
	       s->generations.code == registry_code_generation() &&
	       site_holds(s);
}

/* The site that a region below a root was entered from; NULL: not known. */
static inline __attribute__((always_inline)) struct site *
site_find(struct sites *sites, live_ref root, const struct region *r)
{
	struct site *s = sites ? site_set(sites, r) : NULL;

	for (int i = 0; s && i < SITE_WAYS; i++)
		if (site_is(&s[i], root, r))
			return &s[i];
	return NULL;
}

struct thread;

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
