/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - one thread's calling context tree in the live profile: the writer.
 *
 * Ownership   Nodes and cells live in the arena; the look-up table in private
 *             memory.  Nothing is given back before the process ends.
 * Threads     One writer, the measured thread.
 * Signals     All may run in a handler; not re-entrant: the caller guards.  A
 *             call that a longjmp out of a handler cuts off leaves a tree that
 *             can be used: at most a record is lost, or there twice.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "live/chunk.h"

struct tree { /* all zero: no tree yet */
	struct arena *arena;
	live_ref thread; /* struct live_thread */
	struct chunk_list nodes, cells;
	live_ref root;
	live_ref *table; /* of nodes by (parent, kind, owner, offset) */
	uint32_t table_size, count;
};

/* Start a tree below an existing thread record: 0, or -ENOMEM. */
SIGSAFE int tree_init(struct tree *tree, struct arena *arena, live_ref thread);

/* The child of that key, made when it is new; 0 when memory is used up. */
SIGSAFE live_ref tree_child(struct tree *tree, live_ref parent, uint32_t kind,
			    uint32_t owner, uint64_t offset);

/* A value of a node, made when it is new; NULL: no memory. */
SIGSAFE uint64_t *tree_value(struct tree *tree, live_ref node, uint32_t metric);

/* Add to a value of a node; false: no memory. */
SIGSAFE bool tree_add(struct tree *tree, live_ref node, uint32_t metric,
		      uint64_t value);
