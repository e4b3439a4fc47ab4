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

#define ROUND_S 0.010
#define DEPTH   12

static double used_inlined, used_outer, used_fall;

static inline __attribute__((always_inline)) void inlined(double seconds)
{
	double start = cpu_seconds(), now = start;

	while (now - start < seconds) {
		known_work();
		now = cpu_seconds();
	}
	used_inlined += now - start;
}

static KEPT void outer(void)
{
	double start, now;

	inlined(ROUND_S / 4);
	start = now = cpu_seconds();
	while (now - start < ROUND_S / 4) {
		known_work();
		now = cpu_seconds();
	}
	used_outer += now - start;
}

static KEPT int fall(int depth)
{
	double start, now;

	if (depth)
		return fall(depth - 1) + 1;
	start = now = cpu_seconds();
	while (now - start < ROUND_S / 2) {
		known_work();
		now = cpu_seconds();
	}
	used_fall += now - start;
	return 0;
}

int main(int argc, char **argv)
{
	double end = cpu_seconds() + seconds_wanted(argc, argv, 2.0);

	while (cpu_seconds() < end) {
		outer();
		if (fall(DEPTH) != DEPTH)
			return 1;
	}
	truth("inlined", used_inlined);
	truth("outer", used_outer);
	truth("fall", used_fall);
	return 0;
}
