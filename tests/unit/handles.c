/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/handles.c" /* the adapters are in no library to link */

#include "tests/lib/test.h"

#include <stdlib.h>

enum {
	BITS = 6,
	ROOM = (1 << BITS) / 4 * 3,
	MANY = 200
};

static _Atomic uintptr_t keys[1 << BITS];
static struct handles table = { keys, BITS, PTHREAD_MUTEX_INITIALIZER };

static uintptr_t handle(int i)
{
	return (uintptr_t)(0x1000 + i * 0x40);
}

/* The slot, or -1. */
static int add(int i)
{
	int slot = handles_reserve(&table, handle(i));

	if (slot >= 0)
		handles_publish(&table, slot, handle(i));
	return slot;
}

TEST(handles_are_found_where_they_were_put)
{
	int slots[ROOM];

	CHECK(handles_find(&table, handle(0)), ==, -1);
	for (int i = 0; i < ROOM; i++) {
		slots[i] = add(i);
		CHECK(slots[i], >=, 0);
	}
	for (int i = 0; i < ROOM; i++)
		CHECK(handles_find(&table, handle(i)), ==, slots[i]);
	CHECK(add(3), ==, slots[3]);
}

TEST(handles_refuses_when_full)
{
	for (int i = 0; i < ROOM; i++)
		CHECK(add(i), >=, 0);
	CHECK(add(ROOM), ==, -1);
	handles_remove(&table, handle(7));
	CHECK(add(ROOM), >=, 0);
	CHECK(handles_find(&table, handle(7)), ==, -1);
}

TEST(handles_survive_churn)
{
	int slot[MANY], there = 0;

	for (int i = 0; i < MANY; i++)
		slot[i] = -1;
	srand(1);
	for (int n = 0; n < 100000; n++) {
		int i = rand() % MANY;

		CHECK(handles_find(&table, handle(i)), ==, slot[i]);
		if (slot[i] >= 0) {
			handles_remove(&table, handle(i));
			slot[i] = -1;
			there--;
		} else if (there < ROOM) {
			slot[i] = add(i);
			there++;
			CHECK(slot[i], >=, 0);
		}
	}
}

TEST(handles_empty_again_leave_no_marks)
{
	for (int i = 0; i < ROOM; i++)
		add(i);
	for (int i = 0; i < ROOM; i++)
		handles_remove(&table, handle(i));
	handles_remove(&table, handle(1));
	add(1);
	handles_remove(&table, handle(1));
	CHECK(table.used, ==, 0);
	CHECK(handles_find(&table, handle(2)), ==, -1);
}

/* MPICH's handles are small numbers in a row. */
TEST(handles_that_are_numbers_stand_apart)
{
	uint32_t seen = 0;

	for (uintptr_t i = 0; i < 16; i++)
		seen |= 1u << handles_hash(table.bits, 0x84000000u + i) % 32;
	CHECK(__builtin_popcount(seen), >=, 8);
}
