/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-choice.c - the ranks that stand for all, and those that are named. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/ranks/rank-choice.h"
#include "base/err.h"
#include "tests/lib/test.h"

enum {
	RANKS = 100,
	CHILD = 4242 /* a process of one of them */
};

/* Ranks 0 to 59 are alike, 60 to 98 too, and 99 is in MPI for long. */
static struct run *two_groups(void)
{
	struct run *run = calloc(1, sizeof(*run));

	run->world = run->member_count = RANKS;
	run->rank_count = RANKS + 1;
	run->ranks = calloc(run->rank_count, sizeof(*run->ranks));
	for (uint32_t i = 0; i <= RANKS; i++) {
		run->ranks[i].rank = i < RANKS ? (int32_t)i : -1;
		run->ranks[i].pid = i < RANKS ? 1000 + i : CHILD;
		run->ranks[i].cpu_ns = 1000000 - i;
		run->ranks[i].mpi_time_ns = i < 60          ? 1000 + i
					    : i < RANKS - 1 ? 5000 + i
							    : 20000;
	}
	return run;
}

static void is_choice(const struct rank_choice *choice, const struct run *run,
		      const char *text)
{
	char *is = rank_choice_text(choice, run);

	if (!is || strcmp(is, text) != 0)
		test_fail(__FILE__, __LINE__, is ? is : "no text");
	free(is);
}

TEST(extremes_and_what_is_typical_of_groups)
{
	struct run *run = two_groups();
	struct rank_choice choice = { 0 };

	CHECK(!rank_choice_telling(&choice, run, 16));
	is_choice(&choice, run,
		  "0 (least time in MPI), 30 (typical of 60), "
		  "79 (typical of 39), 99 (most time in MPI)");
	CHECK(!choice.all);
	rank_choice_fini(&choice);
}

TEST(culprits_and_the_longest_victim_come_first)
{
	struct run *run = two_groups();
	struct rank_choice choice = { 0 };
	struct run_cause causes[] = { { .culprit = 7 },
				      { .culprit = WAIT_OTHERS },
				      { .culprit = 7 },
				      { .culprit = 8 } };
	struct run_wait_rank waits[RANKS] = {
		[50] = { .waited_ns = 9 }, [60] = { .waited_ns = 9 }
	};

	run->waits.causes = causes;
	run->waits.cause_count = 4;
	run->waits.ranks = waits;
	run->waits.rank_count = RANKS;
	CHECK(!rank_choice_telling(&choice, run, 3));
	is_choice(&choice, run,
		  "7 (others waited for it), 8 (others waited for it), "
		  "50 (waited most)");
	rank_choice_fini(&choice);
}

TEST(few_ranks_are_all_chosen)
{
	struct run *run = two_groups();
	struct rank_choice choice = { 0 };

	CHECK(!rank_choice_telling(&choice, run, RANKS + 1));
	CHECK(choice.all);
	CHECK(choice.count, ==, RANKS + 1);
	rank_choice_fini(&choice);
}

TEST(ranks_are_named_once_and_in_their_order_of_naming)
{
	struct run *run = two_groups();
	struct rank_choice choice = { 0 };

	CHECK(!rank_choice_named(&choice, run, "98-5000,3,2-4,4242"));
	is_choice(&choice, run, "98, 99, 3, 2, 4, 4242");
	rank_choice_fini(&choice);
	CHECK(rank_choice_named(&choice, run, "100"), ==, -EINVAL);
	CHECK(fail_reason(), ==, "there is no rank 100 in this run");
	CHECK(rank_choice_named(&choice, run, "3;"), ==, -EINVAL);
	CHECK(rank_choice_named(&choice, run, "99999999999999999999"), ==,
	      -EINVAL);
	rank_choice_fini(&choice);
}
