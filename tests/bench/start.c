/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * start.c - what a process used of the CPU before main(), and once a fixed
 * amount of work, about 10 ms, is done; and what had passed before main() since
 * $START, seconds since 1970: three numbers, milliseconds.
 */
#include <stdlib.h>

#include "../programs/known.h"

#define PIECES 200

static double clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(void)
{
	const char *start = getenv("START");
	double before = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
	double since = start ? clock_ms(CLOCK_REALTIME) - 1e3 * atof(start) : 0;

	for (int i = 0; i < PIECES; i++)
		known_work();
	printf("%.3f %.3f %.3f\n", before, clock_ms(CLOCK_PROCESS_CPUTIME_ID),
	       since);
	return 0;
}
