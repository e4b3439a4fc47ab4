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

SIGSAFE struct site *site_learn(struct thread *t, const struct region *r,
				live_ref node)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	struct site *s;
	bool fp_matters;
	int count;

	if (!t->sites)
		t->sites = sys_memory(sizeof(*t->sites));
	if (!t->sites)
		return NULL;
	s = choose(site_set(t->sites, r));
	s->pc = 0;
	count = unwind_words(&t->unwinder, &caller, s->words, SITE_WORDS,
			     &fp_matters);
	if (count < 0)
		return NULL;
	s->count = fill_block(s->words, (uint32_t)count);
	s->sp = r->sp;
	s->fp = r->fp;
	s->fp_mask = fp_matters ? UINTPTR_MAX : 0;
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
