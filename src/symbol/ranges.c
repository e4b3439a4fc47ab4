/* SPDX-License-Identifier: BSD-3-Clause */
/* ranges.c - a sorted array; `reach` bounds the walk back from a miss. */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/comparison.h"
#include "symbol/ranges.h"

int ranges_add(struct ranges *ranges, uint64_t low, uint64_t high,
	       uint32_t index)
{
	struct range range = { .low = low, .high = high, .index = index };

	if (low >= high)
		return 0;
	return array_append(&ranges->at, &ranges->count, &ranges->room,
			    sizeof(range), &range)
		       ? 0
		       : -ENOMEM;
}

ORDER_BY(outer_first, struct range, ASC(low) ?: DESC(high) ?: ASC(index))

void ranges_sort(struct ranges *ranges)
{
	uint64_t reach = 0;

	if (ranges->count)
		qsort(ranges->at, ranges->count, sizeof(*ranges->at),
		      outer_first);
	for (size_t i = 0; i < ranges->count; i++) {
		if (ranges->at[i].high > reach)
			reach = ranges->at[i].high;
		ranges->at[i].reach = reach;
	}
}

const struct range *ranges_find(const struct ranges *ranges, uint64_t address)
{
	size_t from = 0, to = ranges->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (ranges->at[middle].low <= address)
			from = middle + 1;
		else
			to = middle;
	}
	while (from && ranges->at[from - 1].reach > address)
		if (ranges->at[--from].high > address)
			return &ranges->at[from];
	return NULL;
}

void ranges_fini(struct ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct ranges){ 0 };
}
