/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * callsite-cache.h - the call sites that adapters were last called from, each
 * with its call path's node and with the words of the stack that the path hangs
 * on.  As long as these are what they were, a walk from there would read
 * nothing else: so comparing them is enough (some 10 ns at depth 20, a walk
 * takes 100).
 *
 * Programs call in the order they called in before: so the site that followed
 * the last one is tried first, and a table asked only when it is another.
 *
 * The table begins small and grows with the sites: an MPI program has tens of
 * them, a step of a GPU framework thousands.  Any number of them may differ in
 * nothing but words far out: a function that calls MPI has many callers.
 *
 * Threads   A struct sites belongs to one thread.
 * Signals   All may run in a handler, while the thread is not busy.
 */
#pragma once

#include "arch/page-size.h"
#include "base/sigsafe.h"
#include "collect/regions/region.h"
#include "collect/registry.h"
#include "collect/unwind/unwind.h"

enum {
	SITE_PLACES = 64, /* to begin with */
	SITE_PLACES_MOST = 1 << 15,
	SITE_TRIES = 64,   /* places where one may be */
	SITE_WORDS = 1024, /* paths that need more are walked each time */
	SITE_GATES = 1024,
	SITE_LINE = UNWIND_LINE, /* words in a cache line */
	SITE_MEMORY = 32 << 20,  /* bytes of words of one thread, at the most */
};

struct site {                 /* what each call needs comes first */
	uintptr_t pc, sp, fp; /* of the caller */
	uintptr_t fp_mask;    /* 0: the path does not hang on fp */
	const struct region_name *name;
	live_ref root, node; /* above the path, and below it */
	uint32_t code;       /* the generation of code that it is true for */
	uint32_t count;      /* of words, in whole lines */
	struct unwind_word *words; /* of the stack, that the path hangs on */
	struct live_call *call;    /* NULL: none yet */
	uintptr_t inside;          /* region's */
	struct site *next;         /* what was found after it, or itself */
	struct cfi_frame beyond;   /* the program's call, when that is set */
	uint32_t room;             /* for words, and … */
	uint32_t codes; /* … behind them, code objects of Python and what
			   tells them from others */
} __attribute__((aligned(CACHE_LINE)));

/*
 * A library calls back from few places for all that the program calls of it.
 * The program's own return address tells the calls apart; how far it lies from
 * `inside` follows from the function that was called.
 */
struct site_gate {
	const struct region_name *name;
	uintptr_t offset;
};

/* Tables that were outgrown stay: a region may be in one of their calls. */
struct sites {
	struct site *at;   /* each by its hash, or in the next empty place */
	struct site *last; /* the one that was found or learnt last */
	uint32_t places;   /* a power of 2 */
	uint32_t used;     /* of them */
	uint32_t turn;     /* whose place is taken where all are */
	uint32_t free_count;
	struct unwind_word *free; /* so many */
	uint64_t memory;          /* bytes that words got */
	struct site_gate gates[SITE_GATES];
	struct unwind_word scratch[SITE_WORDS];
};

/* A cache line of words: what is compared before it is seen whether it kept. */
static inline __attribute__((always_inline)) bool
callsite_line_holds(const struct unwind_word w[SITE_LINE])
{
	return !((*w[0].at ^ w[0].value) | (*w[1].at ^ w[1].value) |
		 (*w[2].at ^ w[2].value) | (*w[3].at ^ w[3].value));
}

/*
 * Not in vector registers: two words in one were slower behind other work.  And
 * a framework has many deep paths that are alike, so that one which differs is
 * not to be compared to its end.
 */
static inline __attribute__((always_inline)) bool
callsite_holds(const struct site *s)
{
	const struct unwind_word *w = s->words, *end = w + s->count;

	for (; w < end; w += SITE_LINE)
		if (!callsite_line_holds(w))
			return false;
	return true;
}

/* Called from the same frame: its words can be read, up to the first change. */
static inline __attribute__((always_inline)) bool
callsite_begins_as(const struct site *s, const struct region *r)
{
	return s->pc == r->pc && s->sp == r->sp && s->name == r->name &&
	       s->inside == r->inside && !((s->fp ^ r->fp) & s->fp_mask);
}

/* The functions of Python are those they were.  When callsite_holds() only. */
SIGSAFE bool callsite_runs_same_code(const struct site *s);

/* Another profile is another generation of code as well. */
static inline __attribute__((always_inline)) bool
callsite_is(const struct site *s, live_ref root, const struct region *r)
{
	return callsite_begins_as(s, r) && s->root == root &&
	       s->code == registry_code_generation() && callsite_holds(s) &&
	       (!s->codes || callsite_runs_same_code(s));
}

/* The one that is expected. */
static inline __attribute__((always_inline)) struct site *
callsite_next(const struct sites *sites)
{
	return sites->last->next;
}

/*
 * A launch of CUDA leaves little of ours in the caches, and the thousand calls
 * of a framework's step leave little of a path until the next step; but
 * programs call in the order they called in before.  So the words of the path
 * that is next, `most` of them, are fetched while the program works.
 */
static inline void callsites_expect(const struct sites *sites, uint32_t most)
{
	const struct site *next = sites ? callsite_next(sites) : NULL;

	for (uint32_t i = 0; next && i < next->count && i < most;
	     i += SITE_LINE)
		__builtin_prefetch(next->words + i);
	if (next)
		__builtin_prefetch(next->call, 1);
}

/* Where a region below a root was entered from, in the table, or NULL. */
SIGSAFE struct site *callsite_search(struct sites *sites, live_ref root,
				     const struct region *r,
				     const struct unwinder *u);

/* The same, but first of the one that is expected. */
static inline __attribute__((always_inline)) struct site *
callsite_find(struct sites *sites, live_ref root, const struct region *r,
	      const struct unwinder *u)
{
	struct site *s = callsite_next(sites);

	if (!callsite_is(s, root, r))
		return callsite_search(sites, root, r, u);
	sites->last = s;
	return s;
}

struct thread;

/* The region's node was just walked: remember it.  NULL: it cannot be. */
SIGSAFE struct site *callsite_learn(struct thread *t, const struct region *r,
				    live_ref node);

/* The same of a region that was called back for: its path begins beyond. */
SIGSAFE struct site *callsite_learn_beyond(struct thread *t,
					   const struct region *r,
					   live_ref node,
					   const struct unwind_beyond *beyond);
