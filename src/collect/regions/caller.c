/* SPDX-License-Identifier: BSD-3-Clause */
/* caller.c - see caller.h. */
#include "collect/regions/caller.h"

#include "arch/instructions.h"
#include "collect/regions/region-handler.h"
#include "collect/sampling/sample.h"

bool caller_module(struct thread *t, uintptr_t at, struct registry_module *to)
{
	struct loaded_object object;

	return loaded_object_find(&object, (const void *)at) &&
	       registry_module(to, &object, &t->unwinder.reader);
}

/*
 * A function that ends with the call jumps to us, and we return to its caller.
 * The function that the caller called; 0: it called us; 1: not known, since it
 * called through a pointer.
 */
static uintptr_t jumped_from(struct safe_read *reader, uintptr_t pc)
{
	uint8_t call[CALL_SIZE], entry[LINKAGE_SIZE];
	uintptr_t to, slot;

	if (!safe_read_copy(reader, call, pc - CALL_SIZE, CALL_SIZE) ||
	    instructions_call_before(call, pc, &to) != CALL_DIRECT)
		return 1;
	return !safe_read_copy(reader, entry, to, LINKAGE_SIZE) ||
			       instructions_linkage(entry, sizeof(entry), to,
						    &slot)
		       ? 0
		       : to;
}

/* taken: return address of the call that took the lock; 0: none. */
static live_ref node_of_jump(struct thread *t, uintptr_t pc, uintptr_t taken,
			     live_ref caller)
{
	uintptr_t from = jumped_from(&t->unwinder.reader, pc);
	struct registry_module module;
	uint32_t kind = LIVE_NODE_PC;

	if (from && taken) {
		from = taken;
		kind = LIVE_NODE_CALL;
	}
	return from > 1 && caller_module(t, from, &module)
		       ? tree_child(&t->tree, caller, kind, module.index,
				    from - module.base)
		       : caller;
}

live_ref caller_node(struct thread *t, const struct region *r)
{
	struct cfi_frame caller = { r->pc, r->sp, r->fp };
	struct site *site = t->sites ? callsite_find(t->sites, t->tree.root, r,
						     &t->unwinder)
				     : NULL;
	live_ref node;
	int why;

	if (site)
		return site->node;
	node = thread_path(t, &caller, false, NULL, &why);
	if (node)
		node = node_of_jump(t, r->pc, r->inside, node);
	if (node)
		callsite_learn(t, r, node);
	return node;
}

live_ref caller_context(struct thread *t, const struct region *call)
{
	struct region *in = t->region ? region_known(t, (uintptr_t)call) : NULL;
	int why;

	return in ? region_node(t, in, &why) : caller_node(t, call);
}

void caller_hold(struct thread *t)
{
	t->leaves = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void caller_release(struct thread *t, live_ref node)
{
	t->leaves = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sample_settle(t, node ? node : t->tree.root);
	thread_release(t);
}
