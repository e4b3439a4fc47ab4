/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/settings.h"
#include "tests/lib/test.h"

static const struct setting_info *find(const char *name)
{
	for (size_t i = 0; i < setting_count; i++)
		if (!strcmp(setting_infos[i].name, name))
			return &setting_infos[i];
	return NULL;
}

TEST(defaults_are_those_of_the_table)
{
	struct settings s;

	settings_init(&s);
	CHECK(s.freq, ==, 1000);
	CHECK(s.events, ==, "cpu");
	CHECK(s.budget, ==, 10000); /* millionths; the table has per cent */
}

TEST(set_by_name_or_refused_with_a_reason)
{
	struct settings s;

	settings_init(&s);
	CHECK(find("freq") && find("events"));
	CHECK(settings_set(&s, find("freq"), "500"), ==, 0);
	CHECK(s.freq, ==, 500);
	CHECK(settings_set(&s, find("freq"), "abc"), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "freq") && strstr(fail_reason(), "abc"));
	CHECK(s.freq, ==, 500);
	CHECK(settings_set(&s, find("events"), "wall@10"), ==, 0);
	CHECK(s.events, ==, "wall@10");
}

TEST(numbers_have_their_range)
{
	struct settings s;

	settings_init(&s);
	CHECK(settings_set(&s, find("freq"), "0"), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "1 to 20000"));
	CHECK(settings_set(&s, find("freq"), "20001"), ==, -EINVAL);
	CHECK(settings_set(&s, find("freq"), "20000"), ==, 0);
	CHECK(settings_set(&s, find("depth"), "7"), ==, -EINVAL);
	CHECK(settings_set(&s, find("depth"), "8"), ==, 0);
	CHECK(s.depth, ==, 8);
	CHECK(settings_set(&s, find("memory"), "0"), ==, -EINVAL);
	CHECK(settings_set(&s, find("memory"), "-1"), ==, -EINVAL);
}

TEST(switches_are_on_or_off)
{
	struct settings s;

	settings_init(&s);
	CHECK(s.from_start && !s.internals);
	CHECK(settings_set(&s, find("from_start"), "off"), ==, 0);
	CHECK(!s.from_start);
	CHECK(settings_set(&s, find("internals"), "1"), ==, 0);
	CHECK(s.internals);
	CHECK(settings_set(&s, find("from_start"), "maybe"), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "from-start wants on or off"));
}

TEST(the_environment_says_it_too)
{
	struct settings s;
	char name[64];

	settings_variable(find("freq"), name);
	CHECK(name, ==, "COPSE_FREQ");
	setenv("COPSE_FREQ", "250", 1);
	setenv("COPSE_DEPTH", "deep", 1);
	setenv("COPSE_MEMORY", "64", 1);
	CHECK(settings_from_environment(&s), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "deep"));
	CHECK(s.freq, ==, 250);
	CHECK(s.memory, ==, 64);
	CHECK(s.depth, ==, 512);
}
