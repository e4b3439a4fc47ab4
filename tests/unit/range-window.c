/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/range-window.h"
#include "tests/lib/test.h"

TEST(a_window_is_a_name_and_its_times)
{
	struct range_window w;

	CHECK(range_window_parse(&w, "Train step #:10-12"));
	CHECK(w.first, ==, 10);
	CHECK(w.last, ==, 12);
	CHECK(range_window_names(&w, "Train step #"));
	CHECK(!range_window_names(&w, "Train step"));
	CHECK(!range_window_names(&w, "Train step #1"));
	CHECK(range_window_parse(&w, "a::b:3"));
	CHECK(w.first, ==, 3);
	CHECK(w.last, ==, 3);
	CHECK(range_window_names(&w, "a::b"));
}

TEST(what_is_no_window_is_refused)
{
	static const char *const wrong[] = {
		"",         "step",   "step:",   ":3",         "step:0",
		"step:3-2", "step:x", "step:1-", "step:1-2-3", "step:-2"
	};
	struct range_window w;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(!range_window_parse(&w, wrong[i]));
}
