/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-sums.c - what the database says of call paths is what adding up all
 * values says, and so are answers that read a few of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "run/run-build.h"
#include "run/path-sums.h"
#include "run/values.h"
#include "tests/lib/test.h"

enum {
	RANKS = 3000, /* with WIDE nodes enough for rows */
	WIDE = 150,
	CHAIN = 4,
	NODES = 1 + CHAIN * (1 + WIDE)
};

static char directory[] = "/tmp/copse-paths-XXXXXX";

static uint64_t value_of(uint32_t node, uint32_t rank)
{
	uint64_t x = (node + 1) * 0x9e3779b97f4a7c15u ^ rank * 0x94d049bb1331u;

	x ^= x >> 31;
	return !node || x % 3 ? 0 : x >> 40 | 1;
}

/* A chain of calls; each link calls many others, some from several lines. */
static void make_nodes(struct run *run)
{
	uint32_t above = 0, n = 1;

	run->nodes = calloc(NODES, sizeof(*run->nodes));
	run->node_count = NODES;
	for (int link = 0; link < CHAIN; link++) {
		uint32_t caller = n++;
		char name[16];

		snprintf(name, sizeof(name), "link%d", link);
		run->nodes[caller] =
			(struct run_node){ .parent = above,
					   .kind = RUN_FUNCTION,
					   .function = str_add(&run->strings,
							       name) };
		for (uint32_t i = 0; i < WIDE; i++) {
			snprintf(name, sizeof(name), "leaf%u", i / 2);
			run->nodes[n++] = (struct run_node){
				.parent = caller,
				.kind = RUN_FUNCTION,
				.line = i,
				.function = str_add(&run->strings, name)
			};
		}
		above = caller;
	}
}

static struct run *make(void)
{
	struct run *run = calloc(1, sizeof(*run));
	struct run_metric *m;
	uint64_t count = 0;

	str_add(&run->strings, "");
	run->world = run->rank_count = RANKS;
	run->member_count = RANKS - 1; /* the last is a rank's child */
	run->ranks = calloc(RANKS, sizeof(*run->ranks));
	for (int32_t r = 0; r < RANKS; r++)
		run->ranks[r].rank = r;
	make_nodes(run);
	m = run->metrics = calloc(1, sizeof(*run->metrics));
	run->metric_count = 1;
	strcpy(m->name, "cpu.time");
	m->unit = UNIT_NS;
	m->first = calloc(NODES + 1, sizeof(*m->first));
	m->values = calloc((size_t)NODES * RANKS, sizeof(*m->values));
	for (uint32_t n = 0; n < NODES; n++) {
		m->first[n] = count;
		for (uint32_t r = 0; r < RANKS; r++)
			if (value_of(n, r))
				m->values[count++] =
					(struct run_value){ r, value_of(n, r) };
	}
	m->first[NODES] = count;
	run->waits.ranks = calloc(RANKS, sizeof(*run->waits.ranks));
	run->waits.rank_count = RANKS;
	run->calls.peer_block = 1;
	CHECK(!run_stats(run));
	return run;
}

static void check_sum(const struct path_sum *sum, const uint64_t *row)
{
	struct path_sum is = { .min = row[0], .max = row[0] };

	for (uint32_t r = 0; r < RANKS - 1; r++) {
		is.sum += (double)row[r];
		if (row[r] < is.min) {
			is.min = row[r];
			is.min_rank = r;
		}
		if (row[r] > is.max) {
			is.max = row[r];
			is.max_rank = r;
		}
	}
	CHECK(sum->sum, ==, is.sum);
	CHECK(sum->min, ==, is.min);
	CHECK(sum->max, ==, is.max);
	CHECK(sum->min_rank, ==, is.min_rank);
	CHECK(sum->max_rank, ==, is.max_rank);
}

/* All by hand: from the formula, without what is tested. */
static void check_run(const struct run *run, bool rows)
{
	uint64_t *all = calloc((size_t)NODES * RANKS, sizeof(*all));
	uint64_t *row = calloc(RANKS, sizeof(*row));
	struct path_sum *sums;
	struct paths paths;
	bool any = false;

	CHECK(!paths_init(&paths, run));
	CHECK(paths.count, <, NODES);
	CHECK(paths.count, >, CHAIN * WIDE / 2);
	for (uint32_t n = 0; n < NODES; n++)
		for (uint32_t r = 0; r < RANKS; r++)
			for (uint32_t p = paths.of[n];;
			     p = paths.at[p].parent) {
				all[p * RANKS + r] += value_of(n, r);
				if (!p)
					break;
			}
	sums = path_sums(&paths, &run->metrics[0]);
	CHECK(sums != NULL);
	for (uint32_t p = 0; p < paths.count; p++) {
		check_sum(&sums[p], all + (size_t)p * RANKS);
		CHECK(!path_row(&paths, &run->metrics[0], p, row));
		CHECK(!memcmp(row, all + (size_t)p * RANKS,
			      RANKS * sizeof(*row)));
		any |= p && sums[p].row;
	}
	CHECK(any, ==, rows);
	CHECK(!path_totals(run, &run->metrics[0], row));
	CHECK(!memcmp(row, all, RANKS * sizeof(*row)));
	free(all);
	free(row);
	free(sums);
	paths_fini(&paths);
}

TEST(the_sums_of_paths_are_those_of_their_values)
{
	struct run *run = make(), *loaded = NULL;
	char *file;

	check_run(run, false);
	CHECK(mkdtemp(directory));
	file = str_format("%s/run.h5", directory);
	CHECK(!run_save(run, file));
	CHECK(!run_load(&loaded, file));
	CHECK(!loaded->metrics[0].values);
	check_run(loaded, true);
	/* Where paths are folded otherwise, what is stored is not used. */
	loaded->path_of[NODES - 1]--;
	check_run(loaded, false);
	loaded->path_of[NODES - 1]++;
	values_keep(loaded, &loaded->metrics[0]);
	check_run(loaded, true);
	run_free(loaded);
	run_free(run);
	unlink(file);
	rmdir(directory);
	free(file);
}
