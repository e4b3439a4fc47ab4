/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deep.c ROUNDS - a fixed amount of work, 20 calls deep; prints the CPU
 * seconds that it took.
 */
#include "../programs/known.h"

static KEPT double fall(int depth, long rounds)
{
	if (depth)
		return fall(depth - 1, rounds) + 1;
	while (rounds--)
		known_work();
	return 0;
}

int main(int argc, char **argv)
{
	double start = cpu_seconds();

	if (fall(18, argc > 1 ? atol(argv[1]) : 100000) < 0)
		return 1;
	printf("%.6f\n", cpu_seconds() - start);
	return 0;
}
