/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/spelling.h"
#include "tests/lib/test.h"

/* Which of a few analyses a word is taken for; "" for none. */
static const char *meant(const char *wrong)
{
	static const char *const known[] = { "hotspots", "tree", "waits",
					     "mpi-calls", "gpu-kernels" };
	static struct spelling near; /* Mutable: it holds what is returned. */

	spelling_begin(&near, wrong);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		spelling_try(&near, known[i]);
	return near.best;
}

TEST(slips_of_the_pen_are_seen_through)
{
	CHECK(meant("hotspot"), ==, "hotspots");
	CHECK(meant("hotpsots"), ==, "hotspots");
	CHECK(meant("wiats"), ==, "waits");
	CHECK(meant("trees"), ==, "tree");
	CHECK(meant("mpicalls"), ==, "mpi-calls");
}

TEST(a_beginning_is_near)
{
	CHECK(meant("gpu"), ==, "gpu-kernels");
}

TEST(other_words_are_not)
{
	CHECK(!*meant("wood"));
	CHECK(!*meant("app"));
	CHECK(!*meant("t"));
	CHECK(!*meant(""));
	CHECK(!*meant("a-word-that-is-longer-than-any-name-that-there-could-"
		      "be-in-a-table"));
}

TEST(the_hint_is_the_rest_of_a_sentence)
{
	struct spelling near;

	spelling_begin(&near, "hotspot");
	CHECK(spelling_hint(&near), ==, ";");
	spelling_try(&near, "hotspots");
	CHECK(spelling_hint(&near), ==, "; did you mean 'hotspots'?");
}
