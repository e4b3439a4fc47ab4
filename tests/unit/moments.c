/* SPDX-License-Identifier: BSD-3-Clause */
/* moments.c - which samples are left of many, whenever one looks. */
#include "live/moments.h"

#include <stdio.h>
#include <unistd.h>

#include "tests/lib/test.h"

enum {
	MOST = 1000, /* over several chunks */
	MANY = 50000
};

static struct arena arena;
static struct live_thread live;
static struct moments list;

static void start(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/copse-unit-moments-%d",
		 (int)getpid());
	CHECK(arena_open(&arena, path, 8 << 20), ==, 0);
	unlink(path);
}

static void put(uint32_t sample, enum moments_keep keep)
{
	struct live_moment moment = { .ns = sample + 1, .weight_ns = sample };

	moments_add(&list, &arena, &live, MOST, keep, &moment, sizeof(moment));
}

/* The samples that count, marked; their number. */
static uint32_t look(bool *seen)
{
	uint32_t i = 0, count = 0;

	for (uint32_t n = 0; n < MANY; n++)
		seen[n] = false;
	for (live_ref ref = live.moments; ref;) {
		const struct live_chunk *chunk = arena_at(&arena, ref);
		const struct live_moment *at =
			(const struct live_moment *)(chunk + 1);

		for (uint32_t k = 0; k < chunk->count; k++, i++) {
			if (!moments_has(&live, i))
				continue;
			CHECK(at[k].weight_ns, <, MANY);
			CHECK(!seen[at[k].weight_ns]);
			CHECK(at[k].ns, ==, at[k].weight_ns + 1);
			seen[at[k].weight_ns] = true;
			count++;
		}
		ref = chunk->next;
	}
	CHECK(i, <=, MOST);
	return count;
}

/* From the first to the last about one of `every`, whenever one looks. */
static void check_even(uint32_t n)
{
	static bool seen[MANY];
	uint32_t count = look(seen), every = live.every, gap = 0;
	double stands = (double)count * every, all = n + 1;

	CHECK(n < MOST / 2 || count >= MOST * 7 / 16);
	CHECK(stands, <=, 1.02 * all + every);
	CHECK(stands, >=, 0.98 * all - every);
	for (uint32_t k = 0; k <= n; k++) {
		gap = seen[k] ? 0 : gap + 1;
		CHECK(gap, <=, 2 * every);
	}
}

TEST(moments_are_thinned_evenly_at_any_time)
{
	start();
	for (uint32_t n = 0; n < MANY; n++) {
		put(n, MOMENTS_THIN);
		if (n % 7 == 0)
			check_even(n);
	}
	CHECK(live.every == 64 || live.every == 128);
}

TEST(the_first_moments_stay)
{
	static bool seen[MANY];

	start();
	for (uint32_t n = 0; n < MANY; n++)
		put(n, MOMENTS_FIRST);
	CHECK(look(seen), ==, MOST);
	CHECK(live.every, ==, 1);
	for (uint32_t n = 0; n < MANY; n++)
		CHECK(seen[n], ==, (n < MOST));
}

TEST(the_last_moments_stay)
{
	static bool seen[MANY];

	start();
	for (uint32_t n = 0; n < MANY; n++)
		put(n, MOMENTS_LAST);
	CHECK(look(seen), ==, MOST);
	CHECK(live.every, ==, 1);
	for (uint32_t n = 0; n < MANY; n++)
		CHECK(seen[n], ==, (n >= MANY - MOST));
}
