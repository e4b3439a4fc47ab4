/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library-use.h - what libraries do for the program's functions: allocating,
 * formatting, locking, by the names of their functions.
 */
#pragma once

#include "run/call-paths.h"

enum library_purpose {
	LIBRARY_NONE, /* the program's own, or not known */
	LIBRARY_COPIES,
	LIBRARY_FORMATTING,
	LIBRARY_LOCKS,
	LIBRARY_FILES,
	LIBRARY_SLEEPS,
	LIBRARY_STARTING,
	LIBRARY_PATTERNS,
	LIBRARY_PICKLING,
	LIBRARY_PURPOSES
};

/* "allocating and copying"; NULL of none. */
extern const char *const library_purposes[LIBRARY_PURPOSES];

/* What a path's own time is for, and the path of the program's function. */
struct library_use {
	uint32_t owner;
	uint32_t call; /* the path of the library's function that says so */
	enum library_purpose purpose;
};

/* By path; to be freed, NULL when out of memory. */
struct library_use *library_uses(const struct paths *paths);
