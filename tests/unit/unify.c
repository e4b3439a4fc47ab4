/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unify.c - one tree of many profiles: it is the same whether one thread adds
 * them or several look for what is there meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "live/layout.h"
#include "merge/unify-tree.h"
#include "base/ordered-pool.h"
#include "profile/profile.h"
#include "tests/lib/test.h"

enum {
	PROFILES = 120,
	NODES = 3000, /* of each; looked for in several goes */
};

/* Most of a tree is that of all; some nodes only few have. */
static void make_profile(struct profile *p, uint32_t number)
{
	p->nodes = calloc(NODES, sizeof(*p->nodes));
	p->node_count = NODES;
	for (uint32_t i = 1; i < NODES; i++)
		p->nodes[i] = (struct profile_node){
			.parent = i * 7 / 10,
			.kind = NODE_ADDRESS,
			.offset = i + (i % 13 ? 0 : 5000 * (number % 17))
		};
}

struct joining {
	struct unify *unify;
	struct profile profiles[PROFILES];
	struct unify_added added[PROFILES];
};

static int look(void *of, size_t i, void **item)
{
	struct joining *j = of;

	*item = NULL;
	return unify_look(j->unify, &j->profiles[i], &j->added[i]);
}

static int add(void *of, size_t i, void *item)
{
	struct joining *j = of;

	(void)item;
	return unify_add(j->unify, &j->profiles[i], &j->added[i]);
}

static int add_values(void *of, size_t i, void *item)
{
	struct joining *j = of;

	(void)item;
	return unify_add_values(j->unify, &j->profiles[i], &j->added[i],
				(uint32_t)i);
}

static void join(struct joining *j, unsigned int threads)
{
	struct ordered_work work = { PROFILES, look, add, add_values, NULL, j };

	j->unify = unify_new("/tmp");
	for (uint32_t i = 0; i < PROFILES; i++)
		make_profile(&j->profiles[i], i);
	CHECK(!ordered_pool_run(&work, threads));
}

static void joining_fini(struct joining *j)
{
	for (size_t i = 0; i < PROFILES; i++) {
		free(j->profiles[i].nodes);
		unify_added_fini(&j->added[i]);
	}
	unify_free(j->unify);
}

TEST(a_tree_is_the_same_by_several_threads)
{
	static struct joining alone, together;

	join(&alone, 1);
	for (unsigned int threads = 2; threads < 7; threads += 2) {
		memset(&together, 0, sizeof(together));
		join(&together, threads);
		CHECK(unify_size(alone.unify), ==, unify_size(together.unify));
		for (size_t i = 0; i < PROFILES; i++)
			CHECK(!memcmp(alone.added[i].nodes,
				      together.added[i].nodes,
				      NODES * sizeof(uint32_t)));
		joining_fini(&together);
	}
	CHECK(unify_size(alone.unify), >, NODES + 16 * (NODES / 13));
	joining_fini(&alone);
}

TEST(what_is_looked_for_alone_is_not_added)
{
	struct unify *u = unify_new("/tmp");
	struct unify_added added = { 0 };
	struct profile p = { 0 };

	make_profile(&p, 0);
	CHECK(!unify_look(u, &p, &added));
	CHECK(!added.complete);
	CHECK(unify_size(u), ==, 1);
	CHECK(!unify_add(u, &p, &added));
	CHECK(unify_size(u), ==, NODES);
	unify_added_fini(&added);
	CHECK(!unify_look(u, &p, &added) && added.complete);
	unify_added_fini(&added);
	free(p.nodes);
	unify_free(u);
}

static size_t count_valued(const struct unify *u)
{
	size_t count = 0;

	for (size_t i = 0; i < unify_size(u); i++)
		count += u->nodes[i].valued;
	return count;
}

/* A profile that was looked for may turn out to be of another job. */
TEST(nodes_have_values_when_these_were_added)
{
	struct profile_value values[] = { { 5, 0, 1 }, { 9, 0, 1 } };
	struct profile_column column = { .name = "cpu.time",
					 .values = values,
					 .count = 2 };
	struct unify *u = unify_new("/tmp");
	struct unify_added added = { 0 };
	struct profile p = { 0 };

	make_profile(&p, 0);
	CHECK(!unify_look(u, &p, &added) && !unify_add(u, &p, &added));
	unify_added_fini(&added);
	p.columns = &column;
	p.column_count = 1;
	CHECK(!unify_look(u, &p, &added) && !count_valued(u));
	CHECK(!unify_add(u, &p, &added) && !count_valued(u));
	CHECK(!unify_add_values(u, &p, &added, 0));
	CHECK(count_valued(u), ==, 2);
	unify_added_fini(&added);
	free(p.nodes);
	unify_free(u);
}
