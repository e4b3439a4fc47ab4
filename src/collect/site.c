/* SPDX-License-Identifier: BSD-3-Clause */
/* site.c - a small table of sites for each thread, two to a place. */
#include "base/sys.h"
#include "collect/registry.h"
#include "collect/site.h"
#include "collect/thread.h"

SIGSAFE static struct site *place_of(struct sites *sites,
				     const struct region *r)
{
	uint64_t key = (r->pc ^ r->sp << 20 ^ (uintptr_t)r->name << 7) *
		       0x9e3779b97f4a7c15u;

	return sites->at[(key >> 40) % SITE_SETS];
}

void sites_forget(struct sites *sites)
{
	for (int i = 0; sites && i < SITE_SETS; i++)
		for (int j = 0; j < SITE_WAYS; j++)
			sites->at[i][j].pc = 0;
}

SIGSAFE static bool is_it(const struct site *s, const struct thread *t,
			  const struct region *r)
{
	if (s->pc != r->pc || s->sp != r->sp || s->name != r->name ||
	    s->root != t->tree.root || s->profile != t->generation ||
	    s->code != registry_code_generation() || s->inside != r->inside ||
	    (s->fp_matters && s->fp != r->fp))
		return false;
	for (uint32_t i = 0; i < s->count; i++)
		if (*s->words[i].at != s->words[i].value)
			return false;
	return true;
}

SIGSAFE struct site *site_find(struct thread *t, const struct region *r)
{
	struct site *s;

	if (!t->sites)
		return NULL;
	s = place_of(t->sites, r);
	for (int i = 0; i < SITE_WAYS; i++)
		if (is_it(&s[i], t, r))
			return &s[i];
	return NULL;
}

/* The place after the one that was taken last. */
SIGSAFE static struct site *choose(struct site *set)
{
	set[0].turn++;
	return &set[set[0].turn % SITE_WAYS];
}

SIGSAFE static struct site *room_for(struct thread *t, const struct region *r)
{
	struct site *s;

	if (!t->sites)
		t->sites = sys_memory(sizeof(*t->sites));
	if (!t->sites)
		return NULL;
	s = choose(place_of(t->sites, r));
	s->pc = 0;
	return s;
}

SIGSAFE static struct site *keep(struct thread *t, const struct region *r,
				 live_ref node, struct site *s)
{
	s->sp = r->sp;
	s->fp = r->fp;
	s->inside = r->inside;
	s->name = r->name;
	s->root = t->tree.root;
	s->node = node;
	s->code = registry_code_generation();
	s->profile = t->generation;
	s->call = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* all of it, or no site */
	s->pc = r->pc;
	return s;
}

SIGSAFE struct site *site_learn(struct thread *t, const struct region *r,
				live_ref node)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	struct site *s = room_for(t, r);
	int count;

	if (!s)
		return NULL;
	count = unwind_words(&t->unwinder, &caller, s->words, SITE_WORDS,
			     &s->fp_matters);
	if (count < 0)
		return NULL;
	s->count = (uint32_t)count;
	return keep(t, r, node, s);
}

/*
 * The frames between need not be compared: where a function's caller lies
 * follows from `inside` and the function's code, and its return address is
 * compared.
 */
SIGSAFE struct site *site_learn_beyond(struct thread *t, const struct region *r,
				       live_ref node,
				       const struct unwind_beyond *beyond)
{
	struct site *s = beyond->lasting ? room_for(t, r) : NULL;
	const struct cfi_frame *at = &beyond->at;
	int count;

	if (!s)
		return NULL;
	s->words[0] =
		(struct unwind_word){ (uintptr_t *)(at->sp - sizeof(uintptr_t)),
				      at->pc };
	s->words[1] = s->words[0];
	if (beyond->fp_slot)
		s->words[1] =
			(struct unwind_word){ (uintptr_t *)beyond->fp_slot,
					      at->fp };
	count = unwind_words(&t->unwinder, at, s->words + 2, SITE_WORDS - 2,
			     &s->fp_matters);
	if (count < 0)
		return NULL;
	/* Else it is any register, which a loop may count in. */
	if (!s->fp_matters)
		s->words[1] = s->words[0];
	else if (beyond->fp_slot)
		s->fp_matters = false;
	s->count = (uint32_t)count + 2;
	s->beyond = *at;
	return keep(t, r, node, s);
}
