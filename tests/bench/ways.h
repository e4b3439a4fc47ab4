/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ways.h - call paths that are chosen by a number, for benches of what a path
 * costs.  go_way(NUMBER, PATHS, DEPTH) goes DEPTH calls down, from the
 * first to bottom(), which its includer defines, through functions that a
 * pseudo-random number chooses: PATHS ways that take turns.  With 1 each time
 * is as the one before (warm); with 64 most frames differ, but the path was
 * taken earlier (cold); with 0 each number has its own way (new).
 */
#pragma once

#include <stdint.h>

#include "../programs/known.h"

static inline long argument(int argc, char **argv, int which, long otherwise)
{
	return argc > which ? atol(argv[which]) : otherwise;
}

static double bottom(double x);

typedef double level(int depth, uint64_t way);

static level *const levels[16];

/* The highest bits say where to go; a linear congruence makes the next. */
#define LEVEL(name)                                                            \
	static KEPT double name(int depth, uint64_t way)                       \
	{                                                                      \
		if (depth <= 0)                                                \
			return bottom(known_sink) + 1;                         \
		return levels[way >> 60](depth - 1,                            \
					 way * 6364136223846793005u +          \
						 1442695040888963407u) +       \
		       1;                                                      \
	}

LEVEL(a)
LEVEL(b)
LEVEL(c)
LEVEL(d)
LEVEL(e)
LEVEL(f)
LEVEL(g)
LEVEL(h)
LEVEL(i)
LEVEL(j)
LEVEL(k)
LEVEL(l)
LEVEL(m)
LEVEL(n)
LEVEL(o)
LEVEL(p)

static level *const levels[16] = { a, b, c, d, e, f, g, h,
				   i, j, k, l, m, n, o, p };

/* Neighbouring numbers become ways that differ from the first call on. */
static uint64_t way_of(uint64_t number)
{
	number = (number + 1) * 0x9e3779b97f4a7c15u;
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
	return number ^ number >> 27;
}

/* One level and the bottom at least. */
static inline double go_way(long number, long paths, int depth)
{
	uint64_t way = way_of((uint64_t)(paths ? number % paths : number));

	return levels[way >> 60](depth - 2, way << 4);
}
