/* SPDX-License-Identifier: BSD-3-Clause */
/* callsite-cache.c - a table of sites for each thread. */
#include "base/sys.h"
#include "collect/registry.h"
#include "collect/regions/callsite-cache.h"
#include "collect/python/python-code.h"
#include "collect/thread.h"
#include "collect/source.h"

/* Another thread goes on with it, on another stack. */
static void sites_forget(struct sites *sites)
{
	for (uint32_t i = 0; sites && i < sites->places; i++)
		sites->at[i].pc = 0;
	if (sites)
		sites->used = 0;
}

/* One is expected first, whatever it is. */
SIGSAFE static bool get_table(struct sites *sites, uint32_t places)
{
	struct site *table = sys_memory((uint64_t)places * sizeof(*table));

	if (!table)
		return false;
	table->next = table;
	sites->at = sites->last = table;
	sites->places = places;
	sites->used = 0;
	return true;
}

SIGSAFE static struct sites *new_sites(void)
{
	struct sites *sites = sys_memory(sizeof(*sites));

	if (sites && !get_table(sites, SITE_PLACES)) {
		sys2(SYS_munmap, sites, sizeof(*sites));
		return NULL;
	}
	return sites;
}

SIGSAFE bool callsite_runs_same_code(const struct site *s)
{
	const struct unwind_word *w = s->words + s->count;

	for (uint32_t i = 0; i < s->codes; i++)
		if (python_code_identity(python_layout, (uintptr_t)w[i].at) !=
		    w[i].value)
			return false;
	return true;
}

/* `called_from`: of a region that was called back for, else 0. */
SIGSAFE static uint64_t site_key(const struct region *r, uintptr_t called_from)
{
	return (r->pc ^ r->sp << 20 ^ (uintptr_t)r->name << 7 ^
		called_from << 13) *
	       0x9e3779b97f4a7c15u;
}

SIGSAFE static struct site *site_place(const struct sites *sites, uint64_t key)
{
	return &sites->at[(key >> 40) & (sites->places - 1)];
}

/* The first word that is not as it was, or NULL. */
SIGSAFE static const struct unwind_word *site_difference(const struct site *s)
{
	const struct unwind_word *w = s->words, *end = w + s->count;

	while (w < end && *w->at == w->value)
		w++;
	return w < end ? w : NULL;
}

/*
 * Where to look behind a site that it is not.  Sites that differ in a word lie
 * apart by what that word is now: so of thousands of call paths to one place
 * each is found in a few steps, at most one for each word that tells it apart.
 */
SIGSAFE static uint64_t next_key(uint64_t key, const struct site *s,
				 const struct region *r)
{
	const struct unwind_word *w =
		callsite_begins_as(s, r) ? site_difference(s) : NULL;

	if (!w)
		return key + (1ull << 40);
	return (key ^ (uintptr_t)w->at ^ *w->at << 13) * 0xbf58476d1ce4e5b9u;
}

SIGSAFE static struct site_gate *gate_of(struct sites *sites,
					 const struct region *r)
{
	uint64_t key = (uintptr_t)r->name * 0x9e3779b97f4a7c15u;

	return &sites->gates[(key >> 40) % SITE_GATES];
}

/*
 * The return address of the program's call; 0: where it lies is not known.
 * Nothing is read but of the thread's own stack.
 */
SIGSAFE static uintptr_t called_from_where(struct sites *sites,
					   const struct region *r,
					   const struct unwinder *u)
{
	const struct site_gate *g = r->inside ? gate_of(sites, r) : NULL;

	if (!g || g->name != r->name || r->inside < r->sp ||
	    r->inside < u->low || r->inside >= u->high ||
	    u->high - r->inside <= g->offset)
		return 0;
	return *(const volatile uintptr_t *)(r->inside + g->offset);
}

/* It is expected when the last one was found. */
SIGSAFE static void expect_site(struct sites *sites, struct site *s)
{
	sites->last->next = s;
	sites->last = s;
}

SIGSAFE struct site *callsite_search(struct sites *sites, live_ref root,
				     const struct region *r,
				     const struct unwinder *u)
{
	uint64_t key = site_key(r, called_from_where(sites, r, u));

	for (uint32_t i = 0; i < SITE_TRIES; i++) {
		struct site *s = site_place(sites, key);

		if (!s->pc)
			break;
		if (callsite_is(s, root, r)) {
			expect_site(sites, s);
			return s;
		}
		key = next_key(key, s, r);
	}
	return NULL;
}

SIGSAFE static bool is_site_current(const struct site *s)
{
	return s->pc && s->code == registry_code_generation();
}

/* An empty place, or one whose site is not true any more, or any. */
SIGSAFE static struct site *
choose_place(struct sites *sites, const struct region *r, uintptr_t called_from)
{
	uint64_t key = site_key(r, called_from);
	uint32_t turn = sites->turn++ % SITE_TRIES;
	struct site *s, *any = NULL;

	for (uint32_t i = 0; i < SITE_TRIES; i++) {
		s = site_place(sites, key);
		if (!is_site_current(s))
			return s;
		if (i == turn)
			any = s;
		key = next_key(key, s, r);
	}
	return any;
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
	struct site *s;

	if (sites->used >= sites->places / 2 &&
	    sites->places < SITE_PLACES_MOST)
		get_table(sites, 4 * sites->places); /* all are learnt anew */
	s = choose_place(sites, r, called_from);
	sites->used += !s->pc;
	s->pc = 0;
	return s;
}

/*
 * The words of the scratch, in whole lines: the last one is there again.  Code
 * objects stand behind whole lines in the scratch, too.
 */
SIGSAFE static void copy_site_words(const struct sites *sites, struct site *s,
				    uint32_t count, uint32_t codes)
{
	sys_copy(s->words, sites->scratch, (count + codes) * sizeof(*s->words));
	s->codes = codes;
	for (; count % SITE_LINE; count++)
		s->words[count] = s->words[count - 1];
	s->count = count;
}

SIGSAFE static struct site *keep_site(struct thread *t, struct sites *sites,
				      const struct region *r, live_ref node,
				      int count, uint32_t codes,
				      bool fp_matters,
				      const struct cfi_frame *beyond)
{
	uintptr_t called_from = beyond ? beyond->pc : 0;
	struct site *s;

	if (count < 0 || t->generation != registry_generation())
		return NULL;
	s = place_for(sites, r, called_from);
	if (!get_room(sites, s, (uint32_t)count + codes))
		return NULL;
	copy_site_words(sites, s, (uint32_t)count, codes);
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
	s->next = s;
	expect_site(sites, s);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* all of it, or no site */
	s->pc = r->pc;
	return s;
}

/* Made when they are needed; NULL: no memory. */
SIGSAFE static struct sites *sites_of(struct sites **sites)
{
	if (!*sites)
		*sites = new_sites();
	return *sites;
}

SIGSAFE struct site *callsite_learn(struct thread *t, const struct region *r,
				    live_ref node)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	struct sites *sites = sites_of(&t->sites);
	bool fp_matters;
	uint32_t codes;
	int count;

	if (!sites)
		return NULL;
	count = unwind_words(&t->unwinder, &caller, sites->scratch, 0,
			     SITE_WORDS, &fp_matters, &codes);
	return keep_site(t, sites, r, node, count, codes, fp_matters, NULL);
}

/*
 * The frames between need not be compared: where a function's caller lies
 * follows from `inside` and the function's code, and its return address is
 * compared.
 */
SIGSAFE struct site *callsite_learn_beyond(struct thread *t,
					   const struct region *r,
					   live_ref node,
					   const struct unwind_beyond *beyond)
{
	struct sites *sites =
		beyond->lasting ? sites_of(&t->sites_beyond) : NULL;
	struct unwind_word *words = sites ? sites->scratch : NULL;
	const struct cfi_frame *at = &beyond->at;
	bool fp_matters;
	uint32_t codes;
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
	count = unwind_words(&t->unwinder, at, words, 2, SITE_WORDS,
			     &fp_matters, &codes);
	/* Else it is any register, which a loop may count in. */
	if (!fp_matters)
		words[1] = words[0];
	else if (beyond->fp_slot)
		fp_matters = false;
	*gate_of(sites, r) =
		(struct site_gate){ r->name,
				    (uintptr_t)words[0].at - r->inside };
	return keep_site(t, sites, r, node, count, codes, fp_matters, at);
}

AT_FORK static void callsites_reset(struct thread *t)
{
	sites_forget(t->sites);
	sites_forget(t->sites_beyond);
}

const struct source source_callsite_cache = {
	.reset = callsites_reset,
};
