/* SPDX-License-Identifier: BSD-3-Clause */
/* site.c - a table of sites for each thread, in sets of a few. */
#include "base/sys.h"
#include "collect/registry.h"
#include "collect/site.h"
#include "collect/thread.h"

void sites_forget(struct sites *sites)
{
	for (uint32_t i = 0; sites && i < sites->sets * sites->ways; i++)
		sites->at[i].pc = 0;
}

SIGSAFE static bool get_table(struct sites *sites, uint32_t sets)
{
	void *table =
		sys_memory((uint64_t)sets * sites->ways * sizeof(*sites->at));

	if (!table)
		return false;
	sites->at = table;
	sites->sets = sets;
	sites->displaced = 0;
	return true;
}

SIGSAFE static struct sites *new_sites(uint32_t ways)
{
	struct sites *sites = sys_memory(sizeof(*sites));

	if (sites)
		sites->ways = ways;
	if (sites && !get_table(sites, SITE_SETS)) {
		sys2(SYS_munmap, sites, sizeof(*sites));
		return NULL;
	}
	return sites;
}

/* The place after the one that was taken last. */
SIGSAFE static struct site *choose(struct sites *sites, const struct region *r,
				   uintptr_t called_from)
{
	struct site *set = site_set(sites, r, called_from, sites->ways);

	return &set[set[0].turn++ % sites->ways];
}

SIGSAFE static void copy_site(struct sites *sites, const struct site *s)
{
	const struct region as_learned = {
		.pc = s->pc, .sp = s->sp, .name = (struct region_name *)s->name
	};
	struct site *to = choose(sites, &as_learned, s->beyond.pc);
	uint32_t turn = to->turn;

	*to = *s;
	to->turn = turn;
	to->next = 0;
}

SIGSAFE static void grow(struct sites *sites)
{
	struct site *old = sites->at;
	uint32_t sets = sites->sets;

	if (!get_table(sites, 4 * sets)) {
		sites->displaced = 0;
		return;
	}
	for (uint32_t i = 0; i < sets * sites->ways; i++)
		if (old[i].pc)
			copy_site(sites, &old[i]);
}

/* For so many words, from a piece of memory that only grows. */
SIGSAFE static bool get_room(struct sites *sites, struct site *s,
			     uint32_t count)
{
	enum {
		PIECE = 1 << 12
	};
	uint32_t room = SITE_LINE;

	if (s->room >= count)
		return true;
	while (room < count)
		room *= 2;
	if (sites->free_count < room) {
		if (sites->memory >= SITE_MEMORY)
			return false;
		sites->free = sys_memory(PIECE * sizeof(*sites->free));
		sites->free_count = sites->free ? PIECE : 0;
		sites->memory += PIECE * sizeof(*sites->free);
	}
	if (sites->free_count < room)
		return false;
	s->words = sites->free;
	s->room = room;
	sites->free += room;
	sites->free_count -= room;
	return true;
}

/* Where a site is to be; what was there is forgotten. */
SIGSAFE static struct site *
place_for(struct sites *sites, const struct region *r, uintptr_t called_from)
{
	struct site *s = choose(sites, r, called_from);

	if (s->pc && s->code == registry_code_generation() &&
	    ++sites->displaced > sites->ways * sites->sets / 2 &&
	    sites->sets < SITE_SETS_MOST) {
		grow(sites);
		s = choose(sites, r, called_from);
	}
	s->pc = 0;
	return s;
}

/* The words of the scratch, in whole lines: the last one is there again. */
SIGSAFE static void copy_words(const struct sites *sites, struct site *s,
			       uint32_t count)
{
	sys_copy(s->words, sites->scratch, count * sizeof(*s->words));
	for (; count % SITE_LINE; count++)
		s->words[count] = s->words[count - 1];
	s->count = count;
}

SIGSAFE static struct site *keep(struct thread *t, struct sites *sites,
				 const struct region *r, live_ref node,
				 int count, bool fp_matters,
				 const struct cfi_frame *beyond)
{
	struct site *s;

	if (count < 0 || t->generation != registry_generation())
		return NULL;
	s = place_for(sites, r, beyond ? beyond->pc : 0);
	if (!get_room(sites, s, (uint32_t)count))
		return NULL;
	copy_words(sites, s, (uint32_t)count);
	s->sp = r->sp;
	s->fp = r->fp;
	s->fp_mask = fp_matters ? UINTPTR_MAX : 0;
	s->inside = r->inside;
	s->name = r->name;
	s->root = t->tree.root;
	s->node = node;
	s->beyond = beyond ? *beyond : (struct cfi_frame){ 0 };
	s->code = registry_code_generation();
	s->call = NULL;
	s->next = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* all of it, or no site */
	s->pc = r->pc;
	return s;
}

/* Made when they are needed; NULL: no memory. */
SIGSAFE static struct sites *sites_of(struct sites **sites, uint32_t ways)
{
	if (!*sites)
		*sites = new_sites(ways);
	return *sites;
}

SIGSAFE struct site *site_learn(struct thread *t, const struct region *r,
				live_ref node)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	struct sites *sites = sites_of(&t->sites, SITE_WAYS);
	bool fp_matters;
	int count;

	if (!sites)
		return NULL;
	count = unwind_words(&t->unwinder, &caller, sites->scratch, SITE_WORDS,
			     &fp_matters);
	return keep(t, sites, r, node, count, fp_matters, NULL);
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
	struct sites *sites =
		beyond->lasting ? sites_of(&t->sites_beyond, SITE_WAYS_BEYOND)
				: NULL;
	struct unwind_word *words = sites ? sites->scratch : NULL;
	const struct cfi_frame *at = &beyond->at;
	bool fp_matters;
	int count;

	if (!words)
		return NULL;
	words[0] =
		(struct unwind_word){ (uintptr_t *)(at->sp - sizeof(uintptr_t)),
				      at->pc };
	words[1] = words[0];
	if (beyond->fp_slot)
		words[1] = (struct unwind_word){ (uintptr_t *)beyond->fp_slot,
						 at->fp };
	count = unwind_words(&t->unwinder, at, words + 2, SITE_WORDS - 2,
			     &fp_matters);
	/* Else it is any register, which a loop may count in. */
	if (!fp_matters)
		words[1] = words[0];
	else if (beyond->fp_slot)
		fp_matters = false;
	*site_gate(sites, r) =
		(struct site_gate){ r->name,
				    (uintptr_t)words[0].at - r->inside };
	return keep(t, sites, r, node, count < 0 ? count : count + 2,
		    fp_matters, at);
}
