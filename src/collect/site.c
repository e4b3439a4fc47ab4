/* SPDX-License-Identifier: BSD-3-Clause */
/* site.c - a small table of sites for each thread, two to a place. */
#include "base/sys.h"
#include "collect/registry.h"
#include "collect/site.h"
#include "collect/thread.h"

void sites_forget(struct sites *sites)
{
	for (int i = 0; sites && i < SITE_SETS; i++)
		for (int j = 0; j < SITE_WAYS; j++)
			sites->at[i][j].pc = 0;
}

/* The place after the one that was taken last. */
SIGSAFE static struct site *choose(struct site *set)
{
	set[0].turn++;
	return &set[set[0].turn % SITE_WAYS];
}

/* Words that are what they are. */
SIGSAFE static uint32_t fill_block(struct unwind_word *words, uint32_t count)
{
	for (; count % SITE_BLOCK; count++)
		words[count] = (struct unwind_word){ &words[count].value, 0 };
	return count;
}

SIGSAFE static struct site *room_for(struct thread *t, const struct region *r)
{
	struct site *s;

	if (!t->sites)
		t->sites = sys_memory(sizeof(*t->sites));
	if (!t->sites)
		return NULL;
	s = choose(site_set(t->sites, r));
	s->pc = 0;
	return s;
}

SIGSAFE static struct site *keep(struct thread *t, const struct region *r,
				 live_ref node, struct site *s, int count,
				 bool fp_matters)
{
	if (count < 0)
		return NULL;
	s->count = fill_block(s->words, (uint32_t)count);
	s->sp = r->sp;
	s->fp = r->fp;
	s->fp_mask = fp_matters ? UINTPTR_MAX : 0;
	s->inside = r->inside;
	s->name = r->name;
	s->root = t->tree.root;
	s->node = node;
	s->generations.code = registry_code_generation();
	s->generations.profile = t->generation;
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
	bool fp_matters;
	int count;

	if (!s)
		return NULL;
	count = unwind_words(&t->unwinder, &caller, s->words, SITE_WORDS,
			     &fp_matters);
	return keep(t, r, node, s, count, fp_matters);
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
	bool fp_matters;
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
			     &fp_matters);
	/* Else it is any register, which a loop may count in. */
	if (!fp_matters)
		s->words[1] = s->words[0];
	else if (beyond->fp_slot)
		fp_matters = false;
	s->beyond = *at;
	return keep(t, r, node, s, count < 0 ? count : count + 2, fp_matters);
}
