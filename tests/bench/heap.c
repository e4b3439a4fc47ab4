/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap.c [BYTES [BETWEEN]] - nanoseconds of a pair of malloc and free, of
 * blocks of so many bytes: one at a time, and 1,000 that live at a time.  With
 * BETWEEN it works so many loops after each pair, and prints elapsed and CPU
 * time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
	TIMES = 20000000,
	LIVE = 1000
};

static void *volatile sink;
static void *live[LIVE];

static double now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void one_at_a_time(size_t bytes, int between)
{
	volatile double x = 1;

	for (int i = 0; i < TIMES; i++) {
		sink = malloc(bytes);
		free(sink);
		for (int k = 0; k < between; k++)
			x = x * 0.999 + 1;
	}
}

static void many_at_a_time(size_t bytes)
{
	unsigned int at = 1;

	for (int i = 0; i < TIMES; i++) {
		at = at * 1664525u + 1013904223u;
		free(live[(at >> 8) % LIVE]);
		live[(at >> 8) % LIVE] = malloc(bytes);
	}
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
	int between = argc > 2 ? atoi(argv[2]) : 0;
	double since = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	one_at_a_time(bytes, between);
	printf("one %.2f\n",
	       (now_ns(CLOCK_PROCESS_CPUTIME_ID) - since) / TIMES);
	if (between)
		return 0;
	since = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	many_at_a_time(bytes);
	printf("many %.2f\n",
	       (now_ns(CLOCK_PROCESS_CPUTIME_ID) - since) / TIMES);
	return 0;
}
