/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * start.c - what a process used of the CPU before main(), and once a fixed
 * amount of work, about 10 ms, is done: two numbers, milliseconds.
 */
#include "../programs/known.h"

#define PIECES 200

static double process_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(void)
{
	double before = process_ms();

	for (int i = 0; i < PIECES; i++)
		known_work();
	printf("%.3f %.3f\n", before, process_ms());
	return 0;
}
