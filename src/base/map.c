/* SPDX-License-Identifier: BSD-3-Clause */
/* map.c - open addressing with linear probing, at most two thirds full. */
#include <errno.h>
#include <stdlib.h>

#include "base/map.h"

void map_fini(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix_bits(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static struct map_slot *find_slot(const struct map *map, uint64_t a, uint64_t b)
{
	size_t i = mix_bits(a ^ mix_bits(b)) & (map->size - 1);

	while (map->slots[i].value &&
	       (map->slots[i].a != a || map->slots[i].b != b))
		i = (i + 1) & (map->size - 1);
	return &map->slots[i];
}

static int grow_map(struct map *map)
{
	struct map bigger = { .size = map->size ? map->size * 2 : 64,
			      .count = map->count };

	bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->size; i++)
		if (map->slots[i].value)
			*find_slot(&bigger, map->slots[i].a, map->slots[i].b) =
				map->slots[i];
	free(map->slots);
	*map = bigger;
	return 0;
}

uint32_t map_get(const struct map *map, uint64_t a, uint64_t b)
{
	const struct map_slot *slot;

	if (!map->size)
		return MAP_NONE;
	slot = find_slot(map, a, b);
	return slot->value ? slot->value - 1 : MAP_NONE;
}

uint32_t map_put(struct map *map, uint64_t a, uint64_t b, uint32_t fresh)
{
	struct map_slot *slot;

	if (3 * map->count >= 2 * map->size && grow_map(map))
		return MAP_NONE;
	slot = find_slot(map, a, b);
	if (!slot->value) {
		*slot = (struct map_slot){ a, b, fresh + 1 };
		map->count++;
	}
	return slot->value - 1;
}
