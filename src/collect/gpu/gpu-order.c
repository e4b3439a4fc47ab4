/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-order.c - most pieces come in order, or nearly so: they are put at their
 * place one by one.  What is further off is kept aside, sorted and merged.
 * What is not taken is in the live profile: of a process that is killed its
 * reader has it.
 */
#include "collect/gpu/gpu-order.h"

#include "base/sys.h"
#include "collect/registry.h"

enum {
	NEAR = 32, /* places that a piece is moved back alone */
	HOLD_NS = 1200000000,
	STEP_NS = 300000000, /* not every time that some are old enough */
};
_Static_assert(LIVE_PIECES == 2 * GPU_WINDOW + LIVE_PIECES_ASIDE,
	       "room for the window and what is merged into it");

/* Mutable: what is not taken yet. */
static struct {
	struct arena *arena;
	struct live_pieces *in; /* NULL: not yet */
	uint64_t newest;
} order;

static bool get_memory(void)
{
	live_ref ref = 0;

	if (order.in)
		return true;
	if (order.arena)
		ref = arena_pages(order.arena, sizeof(*order.in));
	if (ref) {
		order.in = arena_at(order.arena, ref);
		registry_header()->gpu_pieces = ref;
	} else {
		order.in = sys_memory(sizeof(*order.in));
	}
	return order.in;
}

static void begin_order_change(void)
{
	__atomic_store_n(&order.in->moving, order.in->moving + 1,
			 __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_order_change(void)
{
	__atomic_store_n(&order.in->moving, order.in->moving + 1,
			 __ATOMIC_RELEASE);
}

/* Shell's, with Ciura's gaps: nothing is allocated. */
static void sort_aside(struct live_piece *aside, uint32_t count)
{
	static const uint32_t gaps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };

	for (uint32_t g = 0; g < sizeof(gaps) / sizeof(*gaps); g++) {
		for (uint32_t i = gaps[g]; i < count; i++) {
			struct live_piece one = aside[i];
			uint32_t j = i;

			for (; j >= gaps[g] &&
			       aside[j - gaps[g]].start > one.start;
			     j -= gaps[g])
				aside[j] = aside[j - gaps[g]];
			aside[j] = one;
		}
	}
}

/* From behind, in place. */
static void merge_aside(struct live_pieces *in)
{
	uint32_t from = in->count, n = in->aside_count, to = from + n;

	sort_aside(in->aside, n);
	in->count += n;
	in->aside_count = 0;
	while (n) {
		if (from > in->first &&
		    in->at[from - 1].start > in->aside[n - 1].start)
			in->at[--to] = in->at[--from];
		else
			in->at[--to] = in->aside[--n];
	}
}

static void move_down(struct live_pieces *in)
{
	uint32_t left = in->count - in->first;

	for (uint32_t i = 0; i < left; i++)
		in->at[i] = in->at[in->first + i];
	in->first = 0;
	in->count = left;
}

/* All but so many, as far as they began before. */
static void take_until(uint64_t before, uint32_t keep, gpu_take *take)
{
	struct live_pieces *in = order.in;

	begin_order_change();
	merge_aside(in);
	while (in->count - in->first > keep && in->at[in->first].start < before)
		take(&in->at[in->first++]);
	move_down(in);
	end_order_change();
	take(NULL);
}

/* Where the piece belongs, or some place behind it. */
static uint32_t find_place(const struct live_pieces *in, uint64_t start)
{
	uint32_t i = in->count;

	while (i > in->first && in->at[i - 1].start > start &&
	       in->count - i < NEAR)
		i--;
	return i;
}

static void put_piece(struct live_pieces *in, const struct live_piece *piece)
{
	uint32_t i = find_place(in, piece->start);

	if (i > in->first && in->at[i - 1].start > piece->start) {
		in->aside[in->aside_count++] = *piece;
		if (in->aside_count == LIVE_PIECES_ASIDE)
			merge_aside(in);
		return;
	}
	for (uint32_t j = in->count++; j > i; j--)
		in->at[j] = in->at[j - 1];
	in->at[i] = *piece;
}

bool gpu_order_add(const struct live_piece *piece, gpu_take *take)
{
	if (!get_memory())
		return false;
	if (piece->end > order.newest)
		order.newest = piece->end;
	if (order.in->count >= 2 * GPU_WINDOW)
		take_until(UINT64_MAX, GPU_WINDOW, take);
	begin_order_change();
	put_piece(order.in, piece);
	end_order_change();
	return true;
}

void gpu_order_settle(bool all, gpu_take *take)
{
	const struct live_pieces *in = order.in;

	if (!in)
		return;
	if (all)
		take_until(UINT64_MAX, 0, take);
	else if (in->count > in->first &&
		 in->at[in->first].start + HOLD_NS + STEP_NS < order.newest)
		take_until(order.newest - HOLD_NS, 0, take);
}

/* What was in the memory of another profile is that one's. */
void gpu_order_reset(struct arena *arena)
{
	order.arena = arena;
	order.in = NULL;
	order.newest = 0;
}
