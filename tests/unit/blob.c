/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "tests/lib/test.h"

TEST(what_was_put_is_got_in_its_order)
{
	const uint32_t numbers[] = { 7, 8, 9 };
	struct blob b = { 0 };
	const uint32_t *got;
	uint64_t one = 5, same = 0;
	size_t count;

	blob_put(&b, numbers, 3, sizeof(*numbers));
	blob_put(&b, NULL, 0, sizeof(*numbers));
	blob_put_text(&b, "wood");
	blob_put(&b, &one, 1, sizeof(one));
	CHECK(!blob_error(&b));
	got = blob_get(&b, &count, sizeof(*numbers));
	CHECK(count == 3 && !memcmp(got, numbers, sizeof(numbers)));
	CHECK((uintptr_t)got % 8 == 0);
	CHECK(blob_get(&b, &count, sizeof(*numbers)) && !count);
	CHECK(!strcmp(blob_get_text(&b), "wood"));
	CHECK(blob_get_one(&b, &same, sizeof(same)) && same == 5);
	CHECK(!blob_get(&b, &count, 1) && !count && b.exhausted);
	blob_fini(&b);
}

TEST(less_than_was_asked_for_is_nothing)
{
	uint64_t many = UINT64_MAX / 4, same = 3;
	struct blob b = { 0 };
	size_t count;

	blob_put(&b, &many, 1, sizeof(many));
	memcpy(b.at, &many, sizeof(many)); /* so many, it says */
	CHECK(!blob_get(&b, &count, 8) && !count);
	CHECK(!blob_get_one(&b, &same, sizeof(same)) && same == 3);
	blob_clear(&b);
	CHECK(!blob_get_text(&b) && b.exhausted);
	blob_clear(&b);
	blob_put(&b, "abc", 3, 1); /* not ended */
	CHECK(!blob_get_text(&b));
	blob_fini(&b);
}

TEST(strings_keep_their_order)
{
	struct strings from = { 0 }, to = { 0 };
	struct blob b = { 0 };
	uint32_t *became;

	str_add(&to, "");
	str_add(&to, "ash");
	str_add(&from, "");
	str_add(&from, "oak");
	str_add(&from, "ash");
	blob_put_strings(&b, &from);
	became = blob_get_strings(&b, &to);
	CHECK(became && !became[0] && became[1] == 2 && became[2] == 1);
	CHECK(!strcmp(str_at(&to, became[1]), "oak"));
	free(became);
	CHECK(!blob_get_strings(&b, &to));
	strings_fini(&from);
	strings_fini(&to);
	blob_fini(&b);
}
