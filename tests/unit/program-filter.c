/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/program-filter.h"
#include "tests/lib/test.h"

TEST(everything_is_wanted_when_nothing_is_said)
{
	CHECK(choice_wants("", "", "./app", "/home/me/app"));
}

TEST(only_what_is_included_is_wanted)
{
	CHECK(choice_wants("app", "", "./app", "/home/me/app"));
	CHECK(choice_wants("other,a?p", "", "app", "/bin/app"));
	CHECK(!choice_wants("ap", "", "app", "/bin/app"));
	CHECK(!choice_wants("bin", "", "/bin/app", "/bin/app"));
	CHECK(!choice_wants(",", "", "app", "app"));
}

TEST(what_is_excluded_is_not)
{
	CHECK(!choice_wants("", "app", "app", "app"));
	CHECK(!choice_wants("", "x,,app*", "app-1.2", "app-1.2"));
	CHECK(!choice_wants("app", "app", "app", "app"));
	CHECK(choice_wants("a*", "b*", "app", "app"));
}

TEST(either_name_counts)
{
	CHECK(choice_wants("python3", "", "python3", "/usr/bin/python3.11"));
	CHECK(choice_wants("python3.11", "", "python3", "/usr/bin/python3.11"));
	CHECK(!choice_wants("", "python3.11", "python3", "python3.11"));
}
