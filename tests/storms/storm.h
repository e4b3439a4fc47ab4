/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm.h - what the storms have in common: the last argument is how many
 * seconds to go on (1), and what is printed does not depend on that.
 *
 * A storm checks what it does while it does it, and ends with storm_broken()
 * when something is not as it should be.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "../programs/known.h"

static double storm_end;

static inline double storm_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void storm_begins(int argc, char **argv)
{
	storm_end = storm_now() + (argc > 1 ? atof(argv[argc - 1]) : 1);
}

static inline bool storm_lasts(void)
{
	return storm_now() < storm_end;
}

/* May be called anywhere, in a signal handler and after vfork() as well. */
static inline void storm_broken(const char *what)
{
	if (!write(STDOUT_FILENO, what, __builtin_strlen(what)) ||
	    !write(STDOUT_FILENO, " is broken\n", 11))
		_exit(3);
	_exit(3);
}

/* One thread for each function; all have ended when this returns. */
static inline void storm_threads(void *(*const functions[])(void *), int count)
{
	pthread_t threads[32];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, functions[i], NULL))
			storm_broken("pthread_create");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

#define STORM_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
