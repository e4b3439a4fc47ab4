/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - the writer of calling context trees. */
#include <stdlib.h>
#include <unistd.h>

#include "live/tree.h"
#include "tests/lib/test.h"

static struct arena arena;

static void start(struct tree *tree, uint64_t size)
{
	char path[] = "/dev/shm/copse-unit-XXXXXX";
	live_ref thread;

	CHECK(mkdtemp(path) && !rmdir(path));
	CHECK(!arena_open(&arena, path, size));
	unlink(path);
	thread = arena_pages(&arena, sizeof(struct live_thread));
	CHECK(thread && !tree_init(tree, &arena, thread));
}

TEST(a_child_is_made_once)
{
	struct tree tree = { 0 };
	live_ref a, b;

	start(&tree, 1 << 20);
	a = tree_child(&tree, tree.root, LIVE_NODE_CALL, 1, 2);
	b = tree_child(&tree, a, LIVE_NODE_CALL, 1, 2);
	CHECK(a && b);
	CHECK(a, !=, b);
	CHECK(tree_child(&tree, tree.root, LIVE_NODE_CALL, 1, 2), ==, a);
	CHECK(tree_child(&tree, tree.root, LIVE_NODE_PC, 1, 2), !=, a);
}

TEST(a_hundred_thousand_children_are_found_again)
{
	static live_ref refs[100000];
	struct tree tree = { 0 };

	start(&tree, 64 << 20);
	for (uint32_t i = 0; i < 100000; i++) {
		live_ref parent = i ? refs[i / 7] : tree.root;

		refs[i] = tree_child(&tree, parent, LIVE_NODE_CALL, i % 5, i);
		CHECK(refs[i]);
	}
	for (uint32_t i = 0; i < 100000; i++)
		CHECK(tree_child(&tree, i ? refs[i / 7] : tree.root,
				 LIVE_NODE_CALL, i % 5, i),
		      ==, refs[i]);
}

TEST(values_add_up)
{
	struct tree tree = { 0 };
	const struct live_node *root;
	const struct live_cell *cell;

	start(&tree, 1 << 20);
	CHECK(tree_add(&tree, tree.root, METRIC_CPU_TIME, 3));
	CHECK(tree_add(&tree, tree.root, METRIC_SAMPLES, 1));
	CHECK(tree_add(&tree, tree.root, METRIC_CPU_TIME, 4));
	root = arena_at(&arena, tree.root);
	cell = arena_at(&arena, root->cells);
	CHECK(cell->metric, ==, METRIC_CPU_TIME);
	CHECK(cell->value, ==, 7);
	cell = arena_at(&arena, cell->next);
	CHECK(cell->metric, ==, METRIC_SAMPLES);
	CHECK(cell->value, ==, 1);
	CHECK(!cell->next);
}

TEST(a_full_profile_stops_growing_and_stays_usable)
{
	struct tree tree = { 0 };
	uint64_t n = 0;

	start(&tree, 64 << 10);
	while (tree_child(&tree, tree.root, LIVE_NODE_CALL, 0, n))
		CHECK(++n, <, 10000);
	CHECK(n, >, 100);
	CHECK(tree_child(&tree, tree.root, LIVE_NODE_CALL, 0, 5));
	CHECK(!tree_child(&tree, tree.root, LIVE_NODE_CALL, 1, 5));
}
