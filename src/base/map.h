/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map.h - from a 128-bit key to a 32-bit index: the look-up behind every tree
 * and table outside the measured program.
 *
 * Threads   One user at a time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t a, b;
	uint32_t value; /* index + 1; 0: empty */
};

struct map { /* all zero: an empty map */
	struct map_slot *slots;
	size_t size, count;
};

void map_fini(struct map *map);

#define MAP_NONE UINT32_MAX

/* The index stored for the key, or MAP_NONE. */
uint32_t map_get(const struct map *map, uint64_t a, uint64_t b);

/*
 * The index stored for the key; when there is none, `fresh` is stored and
 * returned.  MAP_NONE when out of memory.
 */
uint32_t map_put(struct map *map, uint64_t a, uint64_t b, uint32_t fresh);
