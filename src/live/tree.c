/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - nodes in chunks, found by one open-addressed table per thread. */
#include <errno.h>

#include "base/sys.h"
#include "live/tree.h"

enum {
	FIRST_CHUNK = 4096,
	LAST_CHUNK = 65536,
	FIRST_TABLE = 1024, /* one page of references */
};

#define AT(tree, ref) arena_at((tree)->arena, (ref))

/* A new chunk, twice as large as the last, linked behind it. */
SIGSAFE static bool add_chunk(struct tree *tree, struct tree_pool *pool,
			      live_ref *head, uint32_t record)
{
	struct live_chunk *last = pool->chunk ? AT(tree, pool->chunk) : NULL;
	uint32_t size = FIRST_CHUNK;
	struct live_chunk *chunk;
	live_ref ref;

	if (last && last->size < LAST_CHUNK)
		size = 2 * last->size;
	else if (last)
		size = LAST_CHUNK;
	ref = arena_pages(tree->arena, size);
	if (!ref)
		return false;
	chunk = AT(tree, ref);
	chunk->size = size;
	__atomic_store_n(last ? &last->next : head, ref, __ATOMIC_RELEASE);
	pool->chunk = ref;
	pool->room = (size - (uint32_t)sizeof(*chunk)) / record;
	return true;
}

/* Room for one more record; commit() makes it visible. */
SIGSAFE static live_ref take(struct tree *tree, struct tree_pool *pool,
			     live_ref *head, uint32_t record)
{
	struct live_chunk *chunk;

	if (!pool->room && !add_chunk(tree, pool, head, record))
		return 0;
	chunk = AT(tree, pool->chunk);
	return pool->chunk +
	       (live_ref)((sizeof(*chunk) + (uint64_t)chunk->count * record) /
			  LIVE_UNIT);
}

SIGSAFE static void commit(struct tree *tree, struct tree_pool *pool)
{
	struct live_chunk *chunk = AT(tree, pool->chunk);

	pool->room--;
	__atomic_store_n(&chunk->count, chunk->count + 1, __ATOMIC_RELEASE);
}

SIGSAFE static uint32_t hash(live_ref parent, uint32_t kind, uint32_t owner,
			     uint64_t offset)
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
		at = hash(node->parent, node->kind, node->owner, node->offset);
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

SIGSAFE static live_ref new_node(struct tree *tree, live_ref parent,
				 uint32_t kind, uint32_t owner, uint64_t offset)
{
	struct live_thread *thread = AT(tree, tree->thread);
	live_ref ref = take(tree, &tree->nodes, &thread->nodes,
			    sizeof(struct live_node));

	if (!ref)
		return 0;
	*(struct live_node *)AT(tree, ref) = (struct live_node){
		.parent = parent, .kind = kind, .owner = owner, .offset = offset
	};
	commit(tree, &tree->nodes);
	tree->count++;
	return ref;
}

SIGSAFE int tree_init(struct tree *tree, struct arena *arena, live_ref thread)
{
	tree->arena = arena;
	tree->thread = thread;
	tree->root = new_node(tree, 0, LIVE_NODE_ROOT, 0, 0);
	if (!tree->root || !grow_table(tree))
		return -ENOMEM;
	return 0;
}

SIGSAFE live_ref tree_child(struct tree *tree, live_ref parent, uint32_t kind,
			    uint32_t owner, uint64_t offset)
{
	uint32_t at = hash(parent, kind, owner, offset);
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
		at = hash(parent, kind, owner, offset);
		while (tree->table[at & (tree->table_size - 1)])
			at++;
	}
	ref = new_node(tree, parent, kind, owner, offset);
	if (ref)
		tree->table[at & (tree->table_size - 1)] = ref;
	return ref;
}

SIGSAFE static bool new_cell(struct tree *tree, live_ref *link, uint32_t metric,
			     uint64_t value)
{
	struct live_thread *thread = AT(tree, tree->thread);
	live_ref ref = take(tree, &tree->cells, &thread->cells,
			    sizeof(struct live_cell));

	if (!ref)
		return false;
	*(struct live_cell *)AT(tree, ref) =
		(struct live_cell){ .metric = metric, .value = value };
	commit(tree, &tree->cells);
	__atomic_store_n(link, ref, __ATOMIC_RELEASE);
	return true;
}

SIGSAFE bool tree_add(struct tree *tree, live_ref node, uint32_t metric,
		      uint64_t value)
{
	live_ref *link = &((struct live_node *)AT(tree, node))->cells;

	while (*link) {
		struct live_cell *cell = AT(tree, *link);

		if (cell->metric == metric) {
			cell->value += value;
			return true;
		}
		link = &cell->next;
	}
	return new_cell(tree, link, metric, value);
}
