/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * truths.h - what a GPU test program says of itself, on stdout, one a line:
 *
 *   truth TABLE NAME PATH MEASURE VALUE      by construction, the same each
 * time measured TABLE NAME PATH MEASURE VALUE   by its own clocks
 *
 * PATH is a function that has to be on the call path, NAME what the row is of;
 * "*" is any.  Times are in seconds.  tests/gpu/truths.tbl says where a report
 * has them.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A function that stays one: it is found by its name in the profile. */
#define STAYS __attribute__((noinline))

/* What keeps a call from being a jump: a frame of ours after it. */
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

static inline void truth(const char *table, const char *name, const char *path,
			 const char *measure, double value)
{
	printf("truth %s %s %s %s %.15g\n", table, name, path, measure, value);
}

static inline void measured(const char *table, const char *name,
			    const char *path, const char *measure, double value)
{
	printf("measured %s %s %s %s %.9f\n", table, name, path, measure,
	       value);
}

/* Ends the program: there is nothing to be tested here. */
static inline void skip_this(const char *reason)
{
	fprintf(stderr, "skip: %s\n", reason);
	exit(77);
}

static inline void broken(const char *what, const char *why)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static inline double clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
