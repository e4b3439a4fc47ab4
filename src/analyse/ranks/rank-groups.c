/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-groups.c - cut the list of processes where it has to be cut. */
#include <stdlib.h>

#include "analyse/ranks/rank-groups.h"
#include "base/err.h"

/* A cut comes before a process. */
struct cutting {
	const struct run *run;
	const bool *named;
	size_t size;  /* of a group, at most */
	size_t hosts; /* whole ones in a group, at most */
};

static bool is_other_host(const struct run *run, size_t i)
{
	return i && run->ranks[i].host != run->ranks[i - 1].host;
}

/* Into `to`, unless it is NULL; how many there are. */
static size_t cut_groups(const struct cutting *c, struct rank_group *to)
{
	size_t count = 0, size = 0, hosts = 0, alone = 0;
	bool was_alone = false;

	for (size_t i = 0; i < c->run->rank_count; i++) {
		bool is_alone = c->named[i] && alone < RANK_GROUPS_NAMED;

		alone += is_alone;
		hosts += is_other_host(c->run, i);
		if (!i || is_alone || was_alone || size == c->size ||
		    i == c->run->member_count || hosts == c->hosts) {
			if (to)
				to[count] = (struct rank_group){ (uint32_t)i };
			count++;
			size = hosts = 0;
		}
		if (to)
			to[count - 1].count++;
		size++;
		was_alone = is_alone;
	}
	return count;
}

/* Whole hosts where there are many, else parts of one. */
static size_t choose_size(struct cutting *c)
{
	size_t rows = c->run->rank_count, count;

	c->size = rows + 1;
	for (c->hosts = 1; cut_groups(c, NULL) > RANK_GROUPS; c->hosts++)
		;
	if (c->hosts > 1 || !rows)
		return cut_groups(c, NULL);
	for (c->size = (rows + RANK_GROUPS - 1) / RANK_GROUPS;
	     (count = cut_groups(c, NULL)) > RANK_GROUPS; c->size++)
		;
	return count;
}

int rank_groups_init(struct rank_groups *groups, const struct run *run,
		     const bool *named)
{
	struct cutting c = { .run = run, .named = named };

	groups->count = choose_size(&c);
	groups->at = calloc(groups->count + 1, sizeof(*groups->at));
	if (!groups->at)
		return no_memory();
	cut_groups(&c, groups->at);
	return 0;
}

void rank_groups_fini(struct rank_groups *groups)
{
	free(groups->at);
	*groups = (struct rank_groups){ 0 };
}
