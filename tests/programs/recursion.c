/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recursion.c DEPTH SECONDS [TURN] - two phases that take turns, each DEPTH
 * calls deep in one function, with a leaf of its own: odd() below first(),
 * even() below second(), whose frames lie at the same places.  In each turn the
 * deepest hundred calls are left and made again. Prints the truth: the CPU time
 * in each leaf.
 */
#include <pthread.h>

#include "known.h"

#define STACK ((size_t)256 << 20)

static int depth;
static double seconds, turn, spent[2];
static int phase;

static KEPT void odd(void)
{
	spent[0] += work_for(turn / 8);
}

static KEPT void even(void)
{
	spent[1] += work_for(turn / 8);
}

static KEPT void down(int n)
{
	if (n) {
		down(n - 1);
		if (n == 100 || n == 10)
			down(n - 1);
	} else if (phase) {
		even();
	} else {
		odd();
	}
	known_sink += 1;
}

static KEPT void first(void)
{
	phase = 0;
	down(depth);
	known_sink += 1;
}

static KEPT void second(void)
{
	phase = 1;
	down(depth);
	known_sink += 1;
}

static void *recurse(void *unused)
{
	while (spent[0] + spent[1] < seconds) {
		first();
		second();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t large;
	pthread_t thread;

	depth = argc > 1 ? atoi(argv[1]) : 1000;
	seconds = argc > 2 ? atof(argv[2]) : 1;
	turn = argc > 3 ? atof(argv[3]) : 0.02;
	pthread_attr_init(&large);
	pthread_attr_setstacksize(&large, STACK);
	if (pthread_create(&thread, &large, recurse, NULL))
		return 2;
	pthread_join(thread, NULL);
	printf("truth odd %.6f\ntruth even %.6f\n", spent[0], spent[1]);
	return 0;
}
