/* SPDX-License-Identifier: BSD-3-Clause */
#include "live/chunk.h"

#include "tests/lib/test.h"

#include <stdio.h>
#include <unistd.h>

enum {
	MANY = 20000, /* over several chunks */
	RECORD = 24,
};

static struct arena arena;
static live_ref head;
static struct chunk_list list;

static void start(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/copse-unit-chunk-%d",
		 (int)getpid());
	CHECK(arena_open(&arena, path, 8 << 20), ==, 0);
	unlink(path);
	head = 0;
	list = (struct chunk_list){ 0 };
}

static bool put(uint64_t value)
{
	live_ref ref = chunk_take(&arena, &list, &head, RECORD);

	if (!ref)
		return false;
	*(uint64_t *)arena_at(&arena, ref) = value;
	chunk_commit(&arena, &list);
	return true;
}

/* How many records a reader finds; each has to be `step` more than the last. */
static uint64_t read_all(uint64_t step)
{
	uint64_t n = 0;

	for (live_ref ref = head; ref;) {
		const struct live_chunk *chunk = arena_at(&arena, ref);
		const char *at = (const char *)(chunk + 1);

		for (uint32_t i = 0; i < chunk->count; i++, at += RECORD)
			CHECK(*(const uint64_t *)at, ==, step * n++);
		ref = chunk->next;
	}
	return n;
}

static bool is_third(const void *record, void *context)
{
	++*(int *)context;
	return *(const uint64_t *)record % 3 == 0;
}

static bool none(const void *record, void *context)
{
	(void)record;
	(void)context;
	return false;
}

TEST(chunks_keep_the_order)
{
	start();
	CHECK(read_all(1), ==, 0);
	for (uint64_t i = 0; i < MANY; i++)
		CHECK(put(i));
	CHECK(read_all(1), ==, MANY);
}

TEST(chunks_are_thinned_and_filled_again)
{
	int asked = 0;
	uint64_t used, n;

	start();
	for (uint64_t i = 0; i < MANY; i++)
		CHECK(put(i));
	used = ((struct live_header *)arena.base)->used;
	n = chunk_filter(&arena, &list, head, RECORD, is_third, &asked);
	CHECK(asked, ==, MANY);
	CHECK(n, ==, (MANY + 2) / 3);
	CHECK(read_all(3), ==, n);
	for (; n < MANY; n++)
		CHECK(put(3 * n));
	CHECK(read_all(3), ==, MANY);
	CHECK(((struct live_header *)arena.base)->used, ==, used);
}

TEST(chunks_may_lose_all)
{
	start();
	CHECK(chunk_filter(&arena, &list, head, RECORD, none, NULL), ==, 0);
	for (uint64_t i = 0; i < 1000; i++)
		CHECK(put(i));
	CHECK(chunk_filter(&arena, &list, head, RECORD, none, NULL), ==, 0);
	CHECK(read_all(1), ==, 0);
	for (uint64_t i = 0; i < 1000; i++)
		CHECK(put(i));
	CHECK(read_all(1), ==, 1000);
}

TEST(chunks_stop_when_memory_is_used_up)
{
	uint64_t n = 0;

	start();
	while (put(n))
		n++;
	CHECK(n, >, (6 << 20) / RECORD);
	CHECK(read_all(1), ==, n);
}
