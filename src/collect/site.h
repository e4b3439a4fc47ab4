/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * site.h - the call sites that adapters were last called from, each with its
 * call path's node and with the words of the stack that the path hangs on.  As
 * long as these are what they were, a walk from there would read nothing else:
 * so comparing them is enough (some 10 ns at depth 20, a walk takes 100).
 *
 * The table begins small and grows while calls that were known lose their
 * places: an MPI program has tens of them, a step of a GPU framework thousands.
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
	SITE_SETS = 32, /* to begin with */
	SITE_SETS_MOST = 1 << 12,
	SITE_WAYS = 2,        /* of regions that the program entered */
	SITE_WAYS_BEYOND = 8, /* of those that were called back for */
	SITE_WORDS = 1024,    /* paths that need more are walked each time */
	SITE_GATES = 1024,
	SITE_LINE = 4,          /* words in a cache line */
	SITE_MEMORY = 32 << 20, /* bytes of words of one thread, at the most */
};

struct site { /* what is compared for each call is in one cache line */
	uintptr_t pc, sp, fp; /* of the caller */
	uintptr_t fp_mask;    /* 0: the path does not hang on fp */
	const struct region_name *name;
	live_ref root, node; /* above the path, and below it */
	uint32_t code;       /* the generation of code that it is true for */
	uint32_t count;      /* of words, in whole lines */
	struct unwind_word *words; /* of the stack, that the path hangs on */
	struct live_call *call;    /* NULL: none yet */
	uintptr_t inside;          /* region's */
	struct cfi_frame beyond;   /* the program's call, when that is set */
	uint32_t room;             /* for words */
	uint32_t turn;             /* of its set, in the first of it */
	uint32_t next;             /* 1 + place of what was found after it */
} __attribute__((aligned(64)));

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
	struct site *at; /* of sets, each of so many ways */
	uint32_t sets;   /* a power of 2 */
	uint32_t ways;
	uint32_t displaced;       /* sites that others took since it grew */
	struct unwind_word *free; /* so many: */
	uint32_t free_count;
	uint64_t memory; /* bytes that words got */
	struct site_gate gates[SITE_GATES];
	struct unwind_word scratch[SITE_WORDS];
};

static inline __attribute__((always_inline)) uint64_t
site_key(const struct region *r, uintptr_t called_from)
{
	return (r->pc ^ r->sp << 20 ^ (uintptr_t)r->name << 7 ^
		called_from << 13) *
	       0x9e3779b97f4a7c15u;
}

/* `called_from`: of a region that was called back for, else 0. */
static inline __attribute__((always_inline)) struct site *
site_set(struct sites *sites, const struct region *r, uintptr_t called_from,
	 uint32_t ways)
{
	uint64_t set = site_key(r, called_from) >> 40 & (sites->sets - 1);

	return &sites->at[set * ways];
}

static inline struct site_gate *site_gate(struct sites *sites,
					  const struct region *r)
{
	uint64_t key = (uintptr_t)r->name * 0x9e3779b97f4a7c15u;

	return &sites->gates[(key >> 40) % SITE_GATES];
}

/*
 * The return address of the program's call; 0: where it lies is not known.
 * Nothing is read but of the thread's own stack.
 */
static inline uintptr_t site_called_from(struct sites *sites,
					 const struct region *r,
					 const struct unwinder *u)
{
	const struct site_gate *g = sites ? site_gate(sites, r) : NULL;

	if (!g || g->name != r->name || r->inside < r->sp ||
	    r->inside < u->low || r->inside >= u->high ||
	    u->high - r->inside <= g->offset)
		return 0;
	return *(const volatile uintptr_t *)(r->inside + g->offset);
}

/* A cache line of words: what is compared before it is seen whether it held. */
static inline __attribute__((always_inline)) bool
site_line_holds(const struct unwind_word w[SITE_LINE])
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
site_holds(const struct site *s)
{
	const struct unwind_word *w = s->words, *end = w + s->count;

	for (; w < end; w += SITE_LINE)
		if (!site_line_holds(w))
			return false;
	return true;
}

/* Another profile is another generation of code as well. */
static inline __attribute__((always_inline)) bool
site_is(const struct site *s, live_ref root, const struct region *r)
{
	return s->pc == r->pc && s->sp == r->sp && s->name == r->name &&
	       !((s->fp ^ r->fp) & s->fp_mask) && s->root == root &&
	       s->code == registry_code_generation() && site_holds(s);
}

/* Of a region that was called back for. */
static inline bool site_is_beyond(const struct site *s, live_ref root,
				  const struct region *r)
{
	return s->inside == r->inside && site_is(s, root, r);
}

/* Where a region below a root was entered from; NULL: not known. */
static inline __attribute__((always_inline)) struct site *
site_find(struct sites *sites, live_ref root, const struct region *r)
{
	struct site *s = sites ? site_set(sites, r, 0, SITE_WAYS) : NULL;

	for (uint32_t i = 0; s && i < SITE_WAYS; i++)
		if (site_is(&s[i], root, r))
			return &s[i];
	return NULL;
}

/* The one that was found after it the last time; NULL: none was. */
static inline struct site *site_after(struct sites *sites,
				      const struct site *last)
{
	return sites && last && last->next ? &sites->at[last->next - 1] : NULL;
}

/* Tables only grow: its place is one in any that follows. */
static inline void site_follows(const struct sites *sites, struct site *last,
				const struct site *s)
{
	if (last && s)
		last->next = 1 + (uint32_t)(s - sites->at);
}

/* Where a region that was called back for was called from. */
static inline struct site *site_find_beyond(struct sites *sites, live_ref root,
					    const struct region *r,
					    uintptr_t called_from)
{
	struct site *s =
		sites ? site_set(sites, r, called_from, SITE_WAYS_BEYOND)
		      : NULL;

	for (uint32_t i = 0; s && i < SITE_WAYS_BEYOND; i++)
		if (site_is_beyond(&s[i], root, r))
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
