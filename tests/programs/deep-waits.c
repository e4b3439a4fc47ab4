/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deep-waits.c ROUNDS DEPTH - waits twice in a row, briefly and for longer,
 * below DEPTH calls that are others than in the round before: the sample of the
 * brief wait is an expensive one. Prints how long the longer waits took.
 */
#include "known.h"

static double waited;

static KEPT void nap(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
	known_sink += 1;
}

static KEPT void briefly(void)
{
	nap(1000000);
	known_sink += 1;
}

static KEPT void longer(void)
{
	double start = elapsed_seconds();

	nap(10000000);
	waited += elapsed_seconds() - start;
}

static KEPT void odd(int n)
{
	if (n) {
		odd(n - 1);
	} else {
		briefly();
		longer();
	}
	known_sink += 1;
}

static KEPT void even(int n)
{
	if (n) {
		even(n - 1);
	} else {
		briefly();
		longer();
	}
	known_sink += 1;
}

static KEPT void compute(void)
{
	work_for(0.002);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20;
	int depth = argc > 2 ? atoi(argv[2]) : 4000;

	for (int i = 0; i < rounds; i++) {
		if (i % 2)
			odd(depth);
		else
			even(depth);
		compute();
	}
	truth("longer", waited);
	return 0;
}
