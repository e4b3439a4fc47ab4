/* SPDX-License-Identifier: BSD-3-Clause */
/* core-wait.c - what is believed of the kernel's count of waits for a core. */
#include "launch/core-wait.h"
#include "tests/lib/test.h"

#define S UINT64_C(1000000000)

static void look(struct core_wait *w, double now, double ran, double waited,
		 uint64_t turns, char state)
{
	const struct core_count c = { .ran = (uint64_t)(ran * S),
				      .waited = (uint64_t)(waited * S),
				      .turns = turns,
				      .state = state };

	core_wait_add(w, &c, (uint64_t)(now * S));
}

TEST(a_thread_that_shares_a_core_has_waited_as_counted)
{
	struct core_wait w = { 0 };

	look(&w, 1, 0.5, 0.5, 200, 'R');
	look(&w, 2, 1.0, 1.0, 400, 'R');
	look(&w, 2.5, 1.25, 1.25, 500, 'Z');
	CHECK(w.ns, ==, 5 * S / 4);
}

TEST(a_wait_counted_when_it_ends_is_believed_whole)
{
	struct core_wait w = { 0 };

	look(&w, 1, 0.5, 0, 3, 'R');
	look(&w, 2, 0.5, 0, 3, 'R');
	look(&w, 3, 0.5, 0, 3, 'R');
	look(&w, 4, 1.0, 3.0, 4, 'Z');
	CHECK(w.ns, ==, 3 * S);
}

TEST(a_sleep_that_the_kernel_counts_as_a_wait_is_not_believed)
{
	struct core_wait w = { 0 };

	look(&w, 1, 0.05, 0.02, 60, 'S');
	look(&w, 2, 0.05, 0.02, 60, 'S');
	look(&w, 3, 0.05, 0.02, 60, 'S');
	look(&w, 3.25, 0.06, 3.02, 61, 'Z');
	CHECK(w.ns, >=, S / 50);
	CHECK(w.ns, <=, S / 50 + S / 4);
}

TEST(a_file_system_that_does_not_answer_is_no_wait_for_a_core)
{
	struct core_wait w = { 0 };

	look(&w, 1, 0.1, 0, 5, 'D');
	look(&w, 2, 0.1, 0, 5, 'D');
	look(&w, 2.5, 0.1, 2.3, 6, 'S');
	CHECK(w.ns, <=, S / 2);
}
