/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/program-filter.h"
#include "tests/lib/test.h"

TEST(everything_is_wanted_when_nothing_is_said)
{
	CHECK(program_filter_wants("", "", "./app", "/home/me/app"));
}

TEST(only_what_is_included_is_wanted)
{
	CHECK(program_filter_wants("app", "", "./app", "/home/me/app"));
	CHECK(program_filter_wants("other,a?p", "", "app", "/bin/app"));
	CHECK(!program_filter_wants("ap", "", "app", "/bin/app"));
	CHECK(!program_filter_wants("bin", "", "/bin/app", "/bin/app"));
	CHECK(!program_filter_wants(",", "", "app", "app"));
}

TEST(what_is_excluded_is_not)
{
	CHECK(!program_filter_wants("", "app", "app", "app"));
	CHECK(!program_filter_wants("", "x,,app*", "app-1.2", "app-1.2"));
	CHECK(!program_filter_wants("app", "app", "app", "app"));
	CHECK(program_filter_wants("a*", "b*", "app", "app"));
}

TEST(either_name_counts)
{
	CHECK(program_filter_wants("python3", "", "python3",
				   "/usr/bin/python3.11"));
	CHECK(program_filter_wants("python3.11", "", "python3",
				   "/usr/bin/python3.11"));
	CHECK(!program_filter_wants("", "python3.11", "python3", "python3.11"));
}
