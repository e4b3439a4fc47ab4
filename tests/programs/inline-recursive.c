/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inline-recursive.c [SECONDS] - outer() with half of its time in inlined(),
 * which the compiler puts into it and only the debug information knows; and
 * fall(), which calls itself DEPTH times and works at the bottom.
 *
 * A quarter each: inlined(), the rest of outer(), and half for the bottom of
 * fall().  fall()'s inclusive time is that of its work, counted once.
 */
#include "known.h"

#define DEPTH 12

static double round_s, used_inlined, used_outer, used_fall;

static inline __attribute__((always_inline)) void inlined(void)
{
	used_inlined += work_for(round_s / 4);
}

static KEPT void outer(void)
{
	inlined();
	used_outer += work_for(round_s / 4);
}

static KEPT int fall(int depth)
{
	if (depth)
		return fall(depth - 1) + 1;
	used_fall += work_for(round_s / 2);
	return 0;
}

int main(int argc, char **argv)
{
	double end = cpu_seconds() + seconds_wanted(argc, argv, 2.0);

	while (cpu_seconds() < end) {
		round_s = next_round();
		outer();
		if (fall(DEPTH) != DEPTH)
			return 1;
	}
	truth("inlined", used_inlined);
	truth("outer", used_outer);
	truth("fall", used_fall);
	return 0;
}
