/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deep.c [ROUNDS [DEPTH [PATHS]]] - a fixed amount of work, in rounds of 10 to
 * 20 microseconds, DEPTH (20) calls deep, main() included; prints the CPU
 * seconds that it took.  Each round goes down from main() anew, by PATHS ways
 * (1; ways.h says what that makes of a sample).
 */
#include "ways.h"

#define WORK 8000 /* steps at the bottom */

static KEPT double bottom(double x)
{
	for (int i = 0; i < WORK; i++)
		x = x * 0.999999 + 1.0;
	return x;
}

int main(int argc, char **argv)
{
	long rounds = argument(argc, argv, 1, 100000);
	int depth = (int)argument(argc, argv, 2, 20);
	long paths = argument(argc, argv, 3, 1);
	double start = cpu_seconds();

	for (long r = 0; r < rounds; r++)
		known_sink = go_way(r, paths, depth - 1);
	printf("%.6f\n", cpu_seconds() - start);
	return 0;
}
