/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * known.h - helpers of the test programs: work that is measured by the
 * thread's own CPU clock, so that a program knows the answer that a profile
 * of it should give.
 *
 * A truth is printed as `truth NAME SECONDS`, one a line, on stdout.
 */
#ifndef PROGRAMS_KNOWN_H
#define PROGRAMS_KNOWN_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A function that stays one: it is found by its name in the profile. */
#define KEPT __attribute__((noinline, noclone, noipa))

static inline double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile double known_sink;

/*
 * About 20 microseconds of work in the calling function itself: always
 * inlined, nothing called.
 */
static inline __attribute__((always_inline)) void known_work(void)
{
	double x = known_sink;

	for (int i = 0; i < 10000; i++)
		x = x * 0.999999 + 1.0;
	known_sink = x;
}

static inline void truth(const char *name, double seconds)
{
	printf("truth %s %.6f\n", name, seconds);
}

/* The first argument as seconds, or what is given. */
static inline double seconds_wanted(int argc, char **argv, double otherwise)
{
	return argc > 1 ? atof(argv[1]) : otherwise;
}

#endif
