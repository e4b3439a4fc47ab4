/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - nodes in chunks, found by one open-addressed table per thread. */
#include <errno.h>

#include "base/sys.h"
#include "live/tree.h"

enum {
	FIRST_TABLE = 1024, /* one page of references */
};

#define AT(tree, ref) arena_at((tree)->arena, (ref))

SIGSAFE static uint32_t hash_child(live_ref parent, uint32_t kind,
				   uint32_t owner, uint64_t offset)
{
	uint64_t x = offset * 0x9e3779b97f4a7c15u ^
		     ((uint64_t)parent << 32 | (owner << 4 ^ kind));

	x *= 0xbf58476d1ce4e5b9u;
	return (uint32_t)(x >> 32 ^ x >> 17);
}

SIGSAFE static bool grow_table(struct tree *tree)
{
	uint32_t size = tree->table_size ? 2 * tree->table_size : FIRST_TABLE;
	live_ref *table = sys_memory((uint64_t)size * sizeof(*table));
	live_ref *old = tree->table;

	if (!table)
		return false;
	for (uint32_t i = 0; i < tree->table_size; i++) {
		const struct live_node *node;
		uint32_t at;

		if (!tree->table[i])
			continue;
		node = AT(tree, tree->table[i]);
		at = hash_child(node->parent, node->kind, node->owner,
				node->offset);
		while (table[at & (size - 1)])
			at++;
		table[at & (size - 1)] = tree->table[i];
	}
	tree->table = table;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tree->table_size = size;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (old)
		sys2(SYS_munmap, old, size / 2 * sizeof(*old));
	return true;
}

SIGSAFE static live_ref new_tree_node(struct tree *tree, live_ref parent,
				      uint32_t kind, uint32_t owner,
				      uint64_t offset)
{
	struct live_thread *thread = AT(tree, tree->thread);
	live_ref ref = chunk_take(tree->arena, &tree->nodes, &thread->nodes,
				  sizeof(struct live_node));

	if (!ref)
		return 0;
	*(struct live_node *)AT(tree, ref) = (struct live_node){
		.parent = parent, .kind = kind, .owner = owner, .offset = offset
	};
	chunk_commit(tree->arena, &tree->nodes);
	tree->count++;
	return ref;
}

SIGSAFE int tree_init(struct tree *tree, struct arena *arena, live_ref thread)
{
	tree->arena = arena;
	tree->thread = thread;
	tree->root = new_tree_node(tree, 0, LIVE_NODE_ROOT, 0, 0);
	if (!tree->root || !grow_table(tree))
		return -ENOMEM;
	return 0;
}

SIGSAFE live_ref tree_child(struct tree *tree, live_ref parent, uint32_t kind,
			    uint32_t owner, uint64_t offset)
{
	uint32_t at = hash_child(parent, kind, owner, offset);
	const struct live_node *node;
	live_ref ref;

	for (; (ref = tree->table[at & (tree->table_size - 1)]); at++) {
		node = AT(tree, ref);
		if (node->offset == offset && node->parent == parent &&
		    node->owner == owner && node->kind == kind)
			return ref;
	}
	if (tree->count >= tree->table_size / 2) {
		if (!grow_table(tree))
			return 0;
		at = hash_child(parent, kind, owner, offset);
		while (tree->table[at & (tree->table_size - 1)])
			at++;
	}
	ref = new_tree_node(tree, parent, kind, owner, offset);
	if (ref)
		tree->table[at & (tree->table_size - 1)] = ref;
	return ref;
}

SIGSAFE static bool new_cell(struct tree *tree, live_ref *link, uint32_t metric)
{
	struct live_thread *thread = AT(tree, tree->thread);
	live_ref ref = chunk_take(tree->arena, &tree->cells, &thread->cells,
				  sizeof(struct live_cell));

	if (!ref)
		return false;
	*(struct live_cell *)AT(tree, ref) =
		(struct live_cell){ .metric = metric };
	chunk_commit(tree->arena, &tree->cells);
	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
	return true;
}

SIGSAFE uint64_t *tree_value(struct tree *tree, live_ref node, uint32_t metric)
{
	live_ref *link = &((struct live_node *)AT(tree, node))->cells;
	struct live_cell *cell;

	for (; *link; link = &cell->next) {
		cell = AT(tree, *link);
		if (cell->metric == metric)
			return &cell->value;
	}
	if (!new_cell(tree, link, metric))
		return NULL;
	cell = AT(tree, *link);
	return &cell->value;
}

SIGSAFE bool tree_add(struct tree *tree, live_ref node, uint32_t metric,
		      uint64_t value)
{
	uint64_t *to = tree_value(tree, node, metric);

	if (to)
		*to += value;
	return to;
}
