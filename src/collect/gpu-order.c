/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-order.c - most pieces come in order, or nearly so: they are put at their
 * place one by one.  What is further off is kept aside, sorted and merged.
 */
#include "collect/gpu-order.h"

#include "base/sys.h"

enum {
	ASIDE = 1024, /* pieces that are merged together */
	ROOM = 2 * GPU_WINDOW + ASIDE,
	NEAR = 32, /* places that a piece is moved back alone */
	HOLD_NS = 1200000000,
	STEP_NS = 300000000, /* not every time that some are old enough */
};

/* Mutable: what is not taken yet. */
static struct {
	struct gpu_piece *at; /* in order: from first to count - 1 */
	uint32_t first, count;
	struct gpu_piece *aside; /* in none */
	uint32_t aside_count;
	uint64_t newest;
} order;

static bool get_memory(void)
{
	if (!order.at)
		order.at = sys_memory(ROOM * sizeof(*order.at));
	if (!order.aside)
		order.aside = sys_memory(ASIDE * sizeof(*order.aside));
	return order.at && order.aside;
}

/* Shell's, with Ciura's gaps: nothing is allocated. */
static void sort_aside(void)
{
	static const uint32_t gaps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };

	for (uint32_t g = 0; g < sizeof(gaps) / sizeof(*gaps); g++) {
		for (uint32_t i = gaps[g]; i < order.aside_count; i++) {
			struct gpu_piece one = order.aside[i];
			uint32_t j = i;

			for (; j >= gaps[g] &&
			       order.aside[j - gaps[g]].start > one.start;
			     j -= gaps[g])
				order.aside[j] = order.aside[j - gaps[g]];
			order.aside[j] = one;
		}
	}
}

/* From behind, in place. */
static void merge_aside(void)
{
	uint32_t from = order.count, n = order.aside_count, to = from + n;

	sort_aside();
	while (n) {
		if (from > order.first &&
		    order.at[from - 1].start > order.aside[n - 1].start)
			order.at[--to] = order.at[--from];
		else
			order.at[--to] = order.aside[--n];
	}
	order.count += order.aside_count;
	order.aside_count = 0;
}

static void move_down(void)
{
	uint32_t left = order.count - order.first;

	for (uint32_t i = 0; i < left; i++)
		order.at[i] = order.at[order.first + i];
	order.first = 0;
	order.count = left;
}

/* All but so many, as far as they began before. */
static void take_until(uint64_t before, uint32_t keep, gpu_take *take)
{
	merge_aside();
	while (order.count - order.first > keep &&
	       order.at[order.first].start < before)
		take(&order.at[order.first++]);
	move_down();
}

bool gpu_order_add(const struct gpu_piece *piece, gpu_take *take)
{
	uint32_t i;

	if (!get_memory())
		return false;
	if (piece->end > order.newest)
		order.newest = piece->end;
	if (order.count >= 2 * GPU_WINDOW)
		take_until(UINT64_MAX, GPU_WINDOW, take);
	i = order.count;
	while (i > order.first && order.at[i - 1].start > piece->start &&
	       order.count - i < NEAR)
		i--;
	if (i > order.first && order.at[i - 1].start > piece->start) {
		order.aside[order.aside_count++] = *piece;
		if (order.aside_count == ASIDE)
			merge_aside();
		return true;
	}
	for (uint32_t j = order.count++; j > i; j--)
		order.at[j] = order.at[j - 1];
	order.at[i] = *piece;
	return true;
}

void gpu_order_settle(bool all, gpu_take *take)
{
	if (!order.at)
		return;
	if (all)
		take_until(UINT64_MAX, 0, take);
	else if (order.count &&
		 order.at[order.first].start + HOLD_NS + STEP_NS < order.newest)
		take_until(order.newest - HOLD_NS, 0, take);
}

void gpu_order_reset(void)
{
	order.first = order.count = order.aside_count = 0;
	order.newest = 0;
}
