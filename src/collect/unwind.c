/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind.c - walking the stack, the memo of the last walk, known places. */
#include <errno.h>
#include <link.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "base/sys.h"
#include "collect/registry.h"
#include "collect/unwind.h"

enum {
	PAGE = 4096,
	PROBES = 16,
	WORD = sizeof(uintptr_t)
};

size_t unwind_size(uint32_t depth)
{
	return 2 * depth * sizeof(struct unwind_frame) +
	       UNWIND_PLACES * sizeof(struct unwind_place);
}

void unwind_init(struct unwinder *u, void *arrays, uint32_t depth)
{
	struct dl_find_object self;

	u->depth = depth;
	u->memo = arrays;
	u->fresh = u->memo + depth;
	u->places = (struct unwind_place *)(u->fresh + depth);
	if (!_dl_find_object((void *)unwind_path, &self))
		u->hidden = self.dlfo_link_map;
	unwind_forget(u);
}

SIGSAFE void unwind_forget(struct unwinder *u)
{
	u->count = 0;
	u->partial = -1;
}

SIGSAFE static bool on_own_stack(const struct unwinder *u, uintptr_t sp)
{
	return sp >= u->low && sp < u->high;
}

/*
 * A stack that nobody told us about, as of a coroutine: how many of the next
 * pages can be read?  The kernel answers without a fault.
 */
SIGSAFE static uintptr_t probe(uintptr_t sp, bool live)
{
	uintptr_t page = sp & ~(uintptr_t)(PAGE - 1);
	char bytes[PROBES];
	struct iovec local = { bytes, PROBES }, remote[PROBES];
	long got;

	for (int i = 0; i < PROBES; i++)
		remote[i] =
			(struct iovec){ (void *)(page + (uintptr_t)i * PAGE),
					1 };
	got = sys6(SYS_process_vm_readv, sys0(SYS_getpid), (long)&local, 1,
		   (long)remote, PROBES, 0);
	if (got > 0)
		return page + (uintptr_t)got * PAGE;
	/* Forbidden, as in some containers: a live sp has its own page. */
	return live && got != -EFAULT ? page + PAGE : sp;
}

/* Reading is allowed from sp up to the end of the stack that it is on. */
SIGSAFE static void open_window(struct unwinder *u, uintptr_t sp, bool live)
{
	const stack_t *s = u->alternate;

	u->window_low = sp;
	if (on_own_stack(u, sp))
		u->window_high = u->high;
	else if (s && !(s->ss_flags & SS_DISABLE) &&
		 sp - (uintptr_t)s->ss_sp < s->ss_size)
		u->window_high = (uintptr_t)s->ss_sp + s->ss_size;
	else
		u->window_high = probe(sp, live);
}

SIGSAFE static bool read_word(void *from, uintptr_t at, uintptr_t *to)
{
	const struct unwinder *u = from;

	if (at & (WORD - 1) || at < u->window_low || u->window_high < WORD ||
	    at > u->window_high - WORD)
		return false;
	*to = *(const volatile uintptr_t *)at;
	return true;
}

SIGSAFE static bool unchanged(const struct unwinder *u, uintptr_t slot,
			      uintptr_t value)
{
	return slot >= u->low && slot <= u->high - WORD &&
	       *(const volatile uintptr_t *)slot == value;
}

/* How many frames of the memo, from the root, are as they were. */
SIGSAFE static uint32_t intact(struct unwinder *u)
{
	uint32_t i;

	if (u->generation != registry_code_generation())
		unwind_forget(u);
	for (i = 0; i < u->count; i++) {
		const struct unwind_frame *f = &u->memo[i];

		if (f->exact || !unchanged(u, f->at.sp - WORD, f->at.pc) ||
		    (f->fp_slot && !unchanged(u, f->fp_slot, f->at.fp)) ||
		    (f->word_slot && !unchanged(u, f->word_slot, f->word)))
			break;
	}
	return i;
}

SIGSAFE static bool describe(const struct unwinder *u,
			     struct unwind_place *place, uintptr_t pc,
			     bool exact, uint32_t generation)
{
	uintptr_t look = exact ? pc : pc - 1;
	struct dl_find_object object;

	place->hidden = false;
	place->generation = 0;
	if (_dl_find_object((void *)look, &object)) {
		place->kind = LIVE_NODE_ADDRESS;
		place->owner = 0;
		place->offset = pc;
		place->rule = (struct cfi_rule){ .cfa = CFI_NONE };
	} else {
		if (!registry_module(&object, &place->owner))
			return false;
		place->hidden = object.dlfo_link_map == u->hidden;
		place->kind = exact ? LIVE_NODE_PC : LIVE_NODE_CALL;
		place->offset = pc - object.dlfo_link_map->l_addr;
		cfi_find(&place->rule, look, &object);
		/* A return to where nobody called from: a coroutine's end. */
		if (!exact && place->rule.cfa == CFI_NONE)
			cfi_find(&place->rule, pc, &object);
	}
	place->pc = pc;
	place->generation = generation;
	return true;
}

/* What is known about a pc; NULL: not now. */
SIGSAFE static const struct unwind_place *place_of(struct unwinder *u,
						   uintptr_t pc, bool exact)
{
	uint32_t generation = registry_code_generation();
	size_t i = (pc * 0x9e3779b97f4a7c15u >> 40) % UNWIND_PLACES;
	struct unwind_place *place = &u->places[i];
	uint32_t kind = exact ? LIVE_NODE_PC : LIVE_NODE_CALL;

	if (place->pc == pc && place->generation == generation &&
	    (place->kind == kind || place->kind == LIVE_NODE_ADDRESS))
		return place;
	return describe(u, place, pc, exact, generation) ? place : NULL;
}

/*
 * Code without information, as a just-in-time compiler's: it may keep frame
 * pointers.  Believed only where they point up the stack.
 */
SIGSAFE static bool by_frame_pointer(struct unwinder *u,
				     const struct cfi_frame *at,
				     struct unwind_frame *to)
{
	uintptr_t fp, pc;

	if (at->fp < at->sp || !read_word(u, at->fp, &fp) ||
	    !read_word(u, at->fp + WORD, &pc) || !pc || (fp && fp <= at->fp))
		return false;
	to->at = (struct cfi_frame){ pc, at->fp + 2 * WORD, fp };
	to->fp_slot = at->fp;
	return true;
}

/* A signal frame: sp points to the context that will be restored. */
SIGSAFE static bool by_context(struct unwinder *u, const struct cfi_frame *at,
			       struct unwind_frame *to)
{
	const ucontext_t *context = (const ucontext_t *)at->sp;
	uintptr_t last = (uintptr_t)&context->uc_mcontext.gregs[REG_RSP];
	uintptr_t fp, sp, pc;

	if (!read_word(u, last, &sp) ||
	    !read_word(u, (uintptr_t)&context->uc_mcontext.gregs[REG_RIP],
		       &pc) ||
	    !read_word(u, (uintptr_t)&context->uc_mcontext.gregs[REG_RBP], &fp))
		return false;
	to->at = (struct cfi_frame){ pc, sp, fp };
	to->exact = true;
	if (sp <= at->sp || !on_own_stack(u, sp) || !on_own_stack(u, at->sp))
		open_window(u, sp, false);
	return true;
}

SIGSAFE static bool by_rule(struct unwinder *u, const struct cfi_rule *rule,
			    const struct cfi_frame *at, struct unwind_frame *to)
{
	uintptr_t cfa, pc;

	if (rule->cfa == CFI_SP) {
		cfa = at->sp + (uintptr_t)(intptr_t)rule->cfa_offset;
	} else if (rule->cfa == CFI_FP) {
		cfa = at->fp + (uintptr_t)(intptr_t)rule->cfa_offset;
	} else {
		if (!cfi_evaluate(rule, at, read_word, u, &cfa, &to->word_slot))
			return false;
		if (to->word_slot && !read_word(u, to->word_slot, &to->word))
			return false;
	}
	if (cfa <= at->sp || !read_word(u, cfa - WORD, &pc))
		return false;
	to->at = (struct cfi_frame){ pc, cfa, at->fp };
	if (rule->fp_offset == CFI_FP_SAME)
		return true;
	to->fp_slot = rule->fp_offset == CFI_FP_SAME + 1
			      ? at->fp
			      : cfa + (uintptr_t)(intptr_t)rule->fp_offset;
	return read_word(u, to->fp_slot, &to->at.fp);
}

enum outcome {
	STEPPED = -2,
	COMPLETE = -1
}; /* else: an enum loss */

/* From a frame to its caller. */
SIGSAFE static int step(struct unwinder *u, const struct unwind_place *place,
			const struct cfi_frame *at, struct unwind_frame *to)
{
	*to = (struct unwind_frame){ 0 };
	switch (place->rule.cfa) {
	case CFI_END:
		return COMPLETE;
	case CFI_NONE:
		return by_frame_pointer(u, at, to) ? STEPPED
						   : LOSS_PARTIAL_CODE;
	case CFI_BAD:
		return LOSS_PARTIAL_RULE;
	case CFI_SIGNAL:
		return by_context(u, at, to) ? STEPPED : LOSS_PARTIAL_STACK;
	default:
		if (!by_rule(u, &place->rule, at, to))
			return LOSS_PARTIAL_STACK;
		return to->at.pc ? STEPPED : COMPLETE;
	}
}

/*
 * Does the walk meet the memo?  sp falls from the root (index 0) to the leaf;
 * *from remembers where the last look ended.
 */
SIGSAFE static bool meets(const struct unwinder *u, uint32_t *from,
			  uint32_t valid, const struct unwind_frame *frame)
{
	const struct unwind_frame *f;

	while (*from && u->memo[*from - 1].at.sp < frame->at.sp)
		--*from;
	if (!*from || *from - 1 > valid)
		return false;
	f = &u->memo[*from - 1];
	return f->at.sp == frame->at.sp && f->at.pc == frame->at.pc &&
	       f->at.fp == frame->at.fp && f->exact == frame->exact;
}

struct walk {
	uint32_t fresh; /* frames walked, leaf first, in u->fresh */
	uint32_t kept;  /* frames of the memo that the walk met */
	int why;        /* COMPLETE or an enum loss */
	bool elsewhere; /* left the thread's own stack: not for the memo */
};

SIGSAFE static void walk(struct unwinder *u, struct walk *w,
			 const struct cfi_frame *top, bool exact)
{
	struct unwind_frame frame = { .at = *top, .exact = exact };
	uint32_t valid = intact(u), from = u->count;
	const struct unwind_place *place;

	open_window(u, top->sp, true);
	for (;;) {
		w->elsewhere |= !on_own_stack(u, frame.at.sp - WORD);
		if (meets(u, &from, valid, &frame)) {
			/* It was reached by another way: keep today's words. */
			frame.node = u->memo[from - 1].node;
			u->memo[from - 1] = frame;
			w->kept = from;
			w->why = u->partial;
			return;
		}
		if (w->fresh == u->depth) {
			w->why = LOSS_PARTIAL_DEPTH;
			return;
		}
		u->fresh[w->fresh++] = frame;
		place = place_of(u, frame.at.pc, frame.exact);
		w->why = place ? step(u, place, &u->fresh[w->fresh - 1].at,
				      &frame)
			       : LOSS_DROPPED_BUSY;
		if (w->why != STEPPED)
			return;
	}
}

/* The node of one frame below its caller's; 0 and *why: none. */
SIGSAFE static live_ref insert(struct unwinder *u, struct tree *tree,
			       live_ref parent,
			       const struct unwind_frame *frame, int *why)
{
	const struct unwind_place *place =
		place_of(u, frame->at.pc, frame->exact);
	live_ref node;

	if (!place) {
		*why = LOSS_DROPPED_BUSY;
		return 0;
	}
	if (place->hidden)
		return parent;
	node = tree_child(tree, parent, place->kind, place->owner,
			  place->offset);
	if (!node)
		*why = LOSS_DROPPED_FULL;
	return node;
}

SIGSAFE live_ref unwind_path(struct unwinder *u, struct tree *tree,
			     const struct cfi_frame *top, bool exact,
			     const stack_t *alternate, int *why)
{
	struct walk w = { 0 };
	live_ref node = tree->root;
	bool memorable;

	u->alternate = alternate;
	walk(u, &w, top, exact);
	*why = w.why;
	if (w.why == LOSS_DROPPED_BUSY)
		return 0;
	if (w.kept)
		node = u->memo[w.kept - 1].node;
	else if (w.why >= 0)
		node = tree_child(tree, node, LIVE_NODE_PARTIAL,
				  (uint32_t)w.why, 0);
	if (!node)
		*why = LOSS_DROPPED_FULL;
	memorable = !w.elsewhere && w.kept + w.fresh <= u->depth &&
		    w.why != LOSS_PARTIAL_DEPTH;
	u->count = w.kept;
	for (uint32_t i = w.fresh; i-- > 0 && node;) {
		node = insert(u, tree, node, &u->fresh[i], why);
		u->fresh[i].node = node;
		if (memorable && node)
			u->memo[u->count++] = u->fresh[i];
	}
	u->partial = u->count ? w.why : -1;
	u->generation = registry_code_generation();
	return node;
}
