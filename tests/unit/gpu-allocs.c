/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-allocs.c - memory of GPUs: events in any order, and what is live. */
#include "collect/gpu/gpu-allocs.h"

#include <stdlib.h>
#include <string.h>

#include "collect/gpu/gpu-shapes.h"
#include "collect/gpu/gpu.h"
#include "tests/unit/measured.h"

#define SECOND ((uint64_t)1000000000)

static void begin(void)
{
	measured_begin(64);
	copse_gpu_note(1);
}

static void event(enum gpu_memory_what what, uint64_t ns, uint64_t address,
		  uint64_t bytes)
{
	struct gpu_memory m = { .what = what,
				.id = 1,
				.kind = LIVE_MEMORY_DEVICE,
				.context = 1,
				.address = address,
				.bytes = bytes,
				.ns = ns };

	copse_gpu_memory(&m, 1);
}

static void take(uint64_t ns, uint64_t address, uint64_t bytes)
{
	event(GPU_MEMORY_ALLOCATED, ns, address, bytes);
}

static void give(uint64_t ns, uint64_t address)
{
	event(GPU_MEMORY_FREED, ns, address, 0);
}

static void *first(live_ref chunk)
{
	CHECK(chunk);
	return (struct live_chunk *)arena_at(registry_open(), chunk) + 1;
}

static const struct live_memory *sums(void)
{
	return first(registry_header()->gpu_lists.memory);
}

static const struct live_holder *holder(void)
{
	return first(registry_header()->gpu_lists.holders);
}

static uint64_t lost(enum loss why)
{
	return registry_header()->losses[why];
}

/* Told in this order or the other, it is the same. */
TEST(memory_is_taken_in_the_order_of_time)
{
	begin();
	give(40, 0x1000);
	take(30, 0x1000, 100);
	give(20, 0x1000);
	take(10, 0x1000, 50);
	take(35, 0x2000, 7);
	CHECK(sums()->allocations, ==, 3);
	copse_gpu_memory_settle(true);
	CHECK(sums()->live, ==, 1);
	CHECK(sums()->bytes, ==, 7);
	CHECK(holder()->peak, ==, 107);
	CHECK(holder()->peak_ns, ==, 35);
	CHECK(sums()->frees, ==, 2);
	CHECK(sums()->freed, ==, 150);
	CHECK(!lost(LOSS_GPU_MEMORY_LATE) && !lost(LOSS_GPU_MEMORY_UNKNOWN));
}

/* As they come late, one by one: what is live is right all the same. */
TEST(late_events_leave_live_what_is)
{
	begin();
	give(40, 0x1000);
	copse_gpu_memory_settle(true);
	CHECK(lost(LOSS_GPU_MEMORY_UNKNOWN), ==, 1);
	take(30, 0x1000, 100); /* freed at 40 */
	copse_gpu_memory_settle(true);
	CHECK(!lost(LOSS_GPU_MEMORY_UNKNOWN) && !sums()->live);
	take(60, 0x1000, 8);
	copse_gpu_memory_settle(true);
	take(50, 0x1000, 100); /* freed before 60 */
	give(55, 0x1000);      /* by this */
	copse_gpu_memory_settle(true);
	CHECK(sums()->live, ==, 1);
	CHECK(sums()->bytes, ==, 8);
	CHECK(holder()->live, ==, 8);
	CHECK(sums()->frees, ==, 2);
	CHECK(lost(LOSS_GPU_MEMORY_LATE), ==, 3);
	give(70, 0x1000);
	copse_gpu_memory_settle(true);
	CHECK(!sums()->live && !sums()->bytes && !holder()->live);
}

/* An address that is used again without word of its free was freed. */
TEST(an_address_holds_one_allocation)
{
	begin();
	take(10, 0x1000, 100);
	take(20, 0x1000, 30);
	copse_gpu_memory_settle(true);
	CHECK(sums()->live, ==, 1);
	CHECK(sums()->bytes, ==, 30);
	CHECK(holder()->peak, ==, 100);
	CHECK(holder()->peak_ns, ==, 10);
}

static void context_ends(uint64_t ns, uint32_t context)
{
	struct gpu_memory m = { .what = GPU_MEMORY_CONTEXT,
				.context = context,
				.ns = ns };

	copse_gpu_memory(&m, 1);
}

/* Many, in a table that has grown: all that was in it goes, later ones stay. */
TEST(a_context_takes_its_memory_along)
{
	begin();
	for (uint64_t i = 1; i <= 3000; i++)
		take(i, i << 12, 16);
	context_ends(5000, 2);
	copse_gpu_memory_settle(true);
	CHECK(sums()->live, ==, 3000);
	CHECK(!sums()->reset);
	take(7000, 5000 << 12, 16);
	context_ends(6000, 1);
	copse_gpu_memory_settle(true);
	CHECK(sums()->live, ==, 1);
	CHECK(sums()->reset, ==, 3000 * 16);
	CHECK(holder()->live, ==, 16);
	CHECK(holder()->peak, ==, 3000 * 16);
}

/* What is freed is found, whatever was removed from the table before. */
TEST(removing_leaves_the_rest_in_its_place)
{
	static uint64_t address[5000];
	uint64_t ns = 0, x = 88172645463325252u;

	begin();
	for (int i = 0; i < 5000; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		address[i] = (x << 8 | 0x100) + (uint64_t)i;
		take(++ns, address[i], 1);
	}
	for (int i = 0; i < 5000; i += 2)
		give(++ns, address[i]);
	for (int i = 1; i < 5000; i += 2)
		give(++ns, address[i]);
	copse_gpu_memory_settle(true);
	CHECK(!sums()->live);
	CHECK(sums()->frees, ==, 5000);
	CHECK(!lost(LOSS_GPU_MEMORY_UNKNOWN));
	CHECK(holder()->peak, ==, 5000);
}

/* 131,072 are known; the calls of the others are counted. */
TEST(more_than_there_is_room_for_is_counted)
{
	begin();
	for (uint64_t i = 1; i <= 140000; i++)
		take(i, i << 9, 1);
	copse_gpu_memory_settle(true);
	CHECK(sums()->allocations, ==, 140000);
	CHECK(sums()->live, ==, 131072);
	CHECK(lost(LOSS_GPU_MEMORY_FULL), ==, 140000 - 131072);
}

/* The bins become wider, and have the most that was live in each. */
TEST(the_timeline_keeps_the_most)
{
	const struct live_holder *h;

	begin();
	take(SECOND, 0x1000, 5);
	take(2 * SECOND, 0x2000, 100);
	give(2 * SECOND + 10, 0x2000);
	take(11 * SECOND, 0x3000, 2);
	copse_gpu_memory_settle(true);
	h = holder();
	CHECK(h->first_ns, ==, SECOND);
	CHECK(h->moving % 2, ==, 0);
	CHECK(h->last, <, LIVE_MEMORY_BINS);
	CHECK(h->last, >=, LIVE_MEMORY_BINS / 2);
	CHECK(h->last, ==, 10 * SECOND / h->width_ns);
	CHECK(h->bins[0], ==, 5);
	CHECK(h->bins[SECOND / h->width_ns], ==, 105);
	CHECK(h->bins[SECOND / h->width_ns + 1], ==, 5);
	CHECK(h->bins[h->last - 1], ==, 5);
	CHECK(h->bins[h->last], ==, 7);
}

/* Whether it changed afterwards or not. */
TEST(what_was_live_at_the_peak_is_known)
{
	struct profile *p;

	begin();
	take(10, 0x1000, 100);
	take(20, 0x2000, 900);
	give(30, 0x1000);
	copse_gpu_memory_settle(true);
	p = measured_profile();
	CHECK(measured_total(p, "gpu.memory.peak"), ==, 1000);
	CHECK(measured_total(p, "gpu.memory.leaked"), ==, 900);
	CHECK(measured_total(p, "gpu.memory.leaks"), ==, 1);
	profile_free(p);
	take(40, 0x3000, 50);
	give(50, 0x2000);
	copse_gpu_memory_settle(true);
	p = measured_profile();
	CHECK(measured_total(p, "gpu.memory.peak"), ==, 1000);
	CHECK(measured_total(p, "gpu.memory.leaked"), ==, 50);
	CHECK(p->holder_count, ==, 1);
	CHECK(p->holders[0].peak, ==, 1000);
	CHECK(p->held_count, ==, 1);
	CHECK(p->held[0].live, ==, 50);
	profile_free(p);
}

/* Foreign input: records of any content. */
TEST(damaged_memory_is_left_out)
{
	static const struct live_memory bad[] = {
		{ .node = 0xfffffff0, .allocations = 1 },
		{ .kind = LIVE_MEMORY_KINDS, .allocations = 1 },
		{ .name = 4000, .allocations = 1 },
		{ .why = 4000, .allocations = 1 },
	};
	size_t size, at;
	char *data;

	begin();
	take(10, 0x1000, 100);
	copse_gpu_memory_settle(true);
	data = measured_copy(&size);
	at = (size_t)registry_header()->gpu_lists.memory * LIVE_UNIT +
	     sizeof(struct live_chunk);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct profile *p;

		memcpy(data + at, &bad[i], sizeof(bad[i]));
		CHECK(!profile_from_live(&p, data, size));
		CHECK(measured_total(p, "gpu.memory.allocations"), <=, 1);
		CHECK(p->losses[p->loss_count - 1].name, ==, "damaged");
		profile_free(p);
	}
	free(data);
}

/* Grids are a range; 4096 shapes are kept. */
TEST(shapes_of_launches_are_summed)
{
	static struct region_name name = { .text = "alpha",
					   .class = LIVE_NAME_KERNEL };
	struct live_shape some = { .block_x = 32,
				   .block_y = 1,
				   .block_z = 1,
				   .launches = 2,
				   .ns = 30,
				   .least_blocks = 7,
				   .most_blocks = 9 };
	const struct live_shape *s;
	struct profile *p;

	begin();
	copse_gpu_shape(&name, &some);
	some.least_blocks = some.most_blocks = 3;
	copse_gpu_shape(&name, &some);
	s = first(registry_header()->gpu_lists.shapes);
	CHECK(s->launches, ==, 4);
	CHECK(s->ns, ==, 60);
	CHECK(s->least_blocks, ==, 3);
	CHECK(s->most_blocks, ==, 9);
	for (uint32_t i = 1; i < 5000; i++) {
		some.dynamic_shared = i;
		copse_gpu_shape(&name, &some);
	}
	CHECK(lost(LOSS_GPU_SHAPES), ==, 2 * (5000 - 4096));
	p = measured_profile();
	CHECK(p->shape_count, ==, 4096);
	profile_free(p);
}
