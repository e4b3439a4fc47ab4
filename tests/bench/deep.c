/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deep.c [ROUNDS [DEPTH [PATHS]]] - a fixed amount of work, in rounds of 10 to
 * 20 microseconds, DEPTH (20) calls deep, main() included; prints the CPU
 * seconds that it took.
 *
 * Each round goes down from main() anew, through functions chosen by a
 * pseudo-random number: PATHS ways that take turns.  With 1 every sample finds
 * the path of the one before (warm); with 64 most of its frames differ, but the
 * path was seen earlier (cold); with 0 each round goes its own way (new).
 */
#include <stdint.h>

#include "../programs/known.h"

#define WORK 8000 /* steps at the bottom */

typedef double level(int depth, uint64_t way);

static level *const levels[16];

static KEPT double bottom(double x)
{
	for (int i = 0; i < WORK; i++)
		x = x * 0.999999 + 1.0;
	return x;
}

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

static long argument(int argc, char **argv, int which, long otherwise)
{
	return argc > which ? atol(argv[which]) : otherwise;
}

int main(int argc, char **argv)
{
	long rounds = argument(argc, argv, 1, 100000);
	int depth = (int)argument(argc, argv, 2, 20);
	long paths = argument(argc, argv, 3, 1);
	double start = cpu_seconds();

	for (long r = 0; r < rounds; r++) {
		uint64_t way = way_of((uint64_t)(paths ? r % paths : r));

		/* Besides main(), one level and the bottom. */
		known_sink = levels[way >> 60](depth - 3, way << 4);
	}
	printf("%.6f\n", cpu_seconds() - start);
	return 0;
}
