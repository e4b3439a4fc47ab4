/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-groups.c - every process in one group, hosts whole, named ones alone. */
#include <stdlib.h>

#include "analyse/ranks/rank-groups.h"
#include "base/str.h"
#include "tests/lib/test.h"

static struct run *run_on_hosts(size_t count, size_t per_host)
{
	struct run *run = calloc(1, sizeof(*run));

	run->rank_count = run->member_count = count;
	run->ranks = calloc(count + 1, sizeof(*run->ranks));
	for (size_t i = 0; i < count; i++)
		run->ranks[i].host = (uint32_t)(i / per_host + 1);
	return run;
}

/* Every 100th is named; the sizes of groups, from … to. */
static void check_groups(size_t count, size_t per_host, size_t step,
			 size_t least, size_t most, bool whole_hosts)
{
	struct run *run = run_on_hosts(count, per_host);
	bool *named = calloc(count + 1, sizeof(*named));
	struct rank_groups g;
	size_t at = 0, alone = 0;

	for (size_t i = 5; step && i < count; i += step)
		named[i] = true;
	CHECK(!rank_groups_init(&g, run, named));
	CHECK(g.count, >=, least);
	CHECK(g.count, <=, most);
	for (size_t i = 0; i < g.count; i++) {
		CHECK(g.at[i].first, ==, at);
		CHECK(g.at[i].count, >, 0);
		at += g.at[i].count;
		if (named[g.at[i].first] && alone++ < RANK_GROUPS_NAMED)
			CHECK(g.at[i].count, ==, 1);
		if (whole_hosts)
			CHECK(run->ranks[g.at[i].first].host, ==,
			      run->ranks[at - 1].host);
	}
	CHECK(at, ==, count);
	rank_groups_fini(&g);
	free(named);
	free(run->ranks);
	free(run);
}

TEST(few_processes_are_alone)
{
	check_groups(0, 1, 0, 0, 0, true);
	check_groups(4, 2, 0, 4, 4, true);
	check_groups(256, 64, 0, 256, 256, true);
}

TEST(processes_of_a_host_are_together)
{
	check_groups(1024, 64, 0, 200, 256, true);
	check_groups(1024, 64, 100, 200, 256, true);
	check_groups(10240, 128, 0, 160, 256, true);
}

TEST(many_hosts_are_joined)
{
	check_groups(10240, 32, 0, 128, 256, false);
	check_groups(10240, 32, 100, 128, 256, false);
	check_groups(102400, 1, 1, 128, 256, false);
}
