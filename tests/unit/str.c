/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/round.h"
#include "tests/lib/test.h"

TEST(a_string_is_kept_once)
{
	struct strings pool = { 0 };
	uint32_t one = str_add(&pool, "one");

	CHECK(one, !=, STR_NONE);
	CHECK(str_add(&pool, "two"), !=, one);
	CHECK(str_add(&pool, "one"), ==, one);
	CHECK(str_add_n(&pool, "one more", 3), ==, one);
	CHECK(str_find(&pool, "one"), ==, one);
	CHECK(str_find(&pool, "three"), ==, STR_NONE);
	CHECK(str_at(&pool, one), ==, "one");
	strings_fini(&pool);
}

TEST(index_zero_is_empty)
{
	struct strings pool = { 0 };

	CHECK(str_add(&pool, ""), ==, 0);
	CHECK(str_at(&pool, 0), ==, "");
	CHECK(str_at(&pool, 12345), ==, "");
	strings_fini(&pool);
}

TEST(many_strings_stay_apart)
{
	struct strings pool = { 0 };
	char text[16];

	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(text, sizeof text, "s%u", i);
		CHECK(str_add(&pool, text), ==, i + 1);
	}
	CHECK(str_at(&pool, 4321), ==, "s4320");
	strings_fini(&pool);
}

TEST(format_makes_a_string)
{
	char *text = str_format("%s-%d", "rank", 12);

	CHECK(text);
	CHECK(text, ==, "rank-12");
	free(text);
}

TEST(a_number_is_a_number_and_nothing_else)
{
	uint64_t value = 0;

	CHECK(str_to_uint("0", &value));
	CHECK(value, ==, 0);
	CHECK(str_to_uint("18446744073709551615", &value));
	CHECK(value, ==, UINT64_MAX);
	CHECK(!str_to_uint("18446744073709551616", &value));
	CHECK(!str_to_uint("", &value));
	CHECK(!str_to_uint("12x", &value));
	CHECK(!str_to_uint("-1", &value));
	CHECK(!str_to_uint(" 1", &value));
}

TEST(a_share_is_in_millionths)
{
	uint64_t value = 0;

	CHECK(str_to_share("1%", &value));
	CHECK(value, ==, 10000);
	CHECK(str_to_share("0.25", &value));
	CHECK(value, ==, 2500);
	CHECK(str_to_share("100%", &value));
	CHECK(value, ==, 1000000);
	CHECK(str_to_share("0", &value));
	CHECK(value, ==, 0);
	CHECK(!str_to_share("101", &value));
	CHECK(!str_to_share("-1", &value));
	CHECK(!str_to_share("1%%", &value));
	CHECK(!str_to_share("nan", &value));
	CHECK(!str_to_share("", &value));
}

TEST(base_is_what_follows_the_last_slash)
{
	CHECK(str_base("/usr/bin/lmp"), ==, "lmp");
	CHECK(str_base("lmp"), ==, "lmp");
	CHECK(str_base("a/"), ==, "");
}

TEST(words_are_quoted_as_a_shell_reads_them)
{
	static const char *const words[][2] = {
		{ "app-1.copse/x", "app-1.copse/x" },
		{ "my app.copse", "'my app.copse'" },
		{ "it's", "'it'\\''s'" },
		{ "", "''" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		char *text = NULL;
		size_t size;
		FILE *to = open_memstream(&text, &size);

		str_quote(to, words[i][0]);
		fclose(to);
		CHECK(text, ==, words[i][1]);
		free(text);
	}
}

TEST(whole_takes_any_double)
{
	CHECK(round_to_count(2.5), ==, 3);
	CHECK(round_to_count(0.4), ==, 0);
	CHECK(round_to_count(1e15), ==, 1000000000000000u);
	CHECK(round_to_count(-1), ==, 0);
	CHECK(round_to_count(NAN), ==, 0);
	CHECK(round_to_count(-INFINITY), ==, 0);
	CHECK(round_to_count(1e30), ==, UINT64_MAX);
	CHECK(round_to_count(INFINITY), ==, UINT64_MAX);
	CHECK(round_to_count(18446744073709549568.0), ==, UINT64_MAX);
}
