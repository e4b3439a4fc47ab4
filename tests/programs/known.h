/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * known.h - helpers of the test programs: work that is measured by the
 * thread's own CPU clock, so that a program knows the answer that a profile
 * of it should give.
 *
 * A truth is printed as `truth NAME SECONDS`, one a line, on stdout, and what
 * all of the process used as `usage SECONDS`.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* A function that stays one: it is found by its name in the profile. */
#define KEPT __attribute__((noinline, noclone, noipa))

static inline double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Elapsed time, which others on the cores make longer. */
static inline double elapsed_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static volatile double known_sink;

/* About 50 microseconds of work, in the very function that it stands in. */
#define known_work()                                                           \
	do {                                                                   \
		double x_ = known_sink;                                        \
                                                                               \
		for (int i_ = 0; i_ < 20000; i_++)                             \
			x_ = x_ * 0.999999 + 1.0;                              \
		known_sink = x_;                                               \
	} while (0)

/*
 * Works until the thread has used that much CPU time since this began, in the
 * very function that it stands in; its value is what was used.
 */
#define work_for(seconds)                                                      \
	({                                                                     \
		double start_ = cpu_seconds(), now_ = start_;                  \
                                                                               \
		while (now_ - start_ < (seconds)) {                            \
			known_work();                                          \
			now_ = cpu_seconds();                                  \
		}                                                              \
		now_ - start_;                                                 \
	})

/* Of each thread its own, so that no lock is needed; 0 … 1. */
static __thread unsigned short known_seed[3] = { 0x330e, 0xabcd, 0x1234 };

static inline double known_random(void)
{
	return erand48(known_seed);
}

/*
 * The length of the next round, 5 to 15 ms: rounds of one length would keep
 * step with the samples.
 */
static inline double next_round(void)
{
	return 0.005 + 0.010 * known_random();
}

static inline void truth(const char *name, double seconds)
{
	printf("truth %s %.6f\n", name, seconds);
}

/* In one write, so that lines of ranks do not mix. */
static inline void truth_of_rank(const char *name, int rank, double seconds)
{
	printf("truth %s[%d] %.6f\n", name, rank, seconds);
	fflush(stdout);
}

/* The CPU time of the whole process, as the system counts it. */
static inline void usage(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	printf("usage %.6f\n",
	       (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) *
			       1e-6);
}

/* The first argument as seconds, or what is given. */
static inline double seconds_wanted(int argc, char **argv, double otherwise)
{
	return argc > 1 ? atof(argv[1]) : otherwise;
}
