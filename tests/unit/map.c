/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/map.h"
#include "tests/lib/test.h"

TEST(empty_has_nothing)
{
	struct map map = { 0 };

	CHECK(map_get(&map, 1, 2), ==, MAP_NONE);
	map_fini(&map);
}

TEST(keeps_the_first_index_of_a_key)
{
	struct map map = { 0 };

	CHECK(map_put(&map, 1, 2, 7), ==, 7);
	CHECK(map_put(&map, 1, 2, 8), ==, 7);
	CHECK(map_put(&map, 2, 1, 8), ==, 8);
	CHECK(map_get(&map, 1, 2), ==, 7);
	map_fini(&map);
}

TEST(grows_without_losing_a_key)
{
	struct map map = { 0 };

	for (uint32_t i = 0; i < 10000; i++)
		CHECK(map_put(&map, i, i / 3, i), ==, i);
	CHECK(map.count, ==, 10000);
	for (uint32_t i = 0; i < 10000; i++)
		CHECK(map_get(&map, i, i / 3), ==, i);
	map_fini(&map);
}
