/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * own-locks.h - tries libgomp's own locks without waiting.  A free critical
 * section is not stamped, so it is not held for longer.
 *
 * Threads   Any, after the adapter was loaded.
 */
#pragma once

#include <stdbool.h>

#include "base/hidden.h"

/*
 * Which locks of the program's first libgomp have the form of an omp_lock_t.
 * This is tried when the adapter is loaded.
 */
struct own_locks {
	int (*test)(void *lock); /* omp_test_lock() */
	void *critical;          /* of sections without a name; NULL: unknown */
	bool named; /* the words of sections with a name are such locks */
};
extern HIDDEN struct own_locks own_locks;

void own_locks_find(void);

enum lock_try {
	LOCK_UNKNOWN, /* it was not tried */
	LOCK_TAKEN,   /* by somebody else */
	LOCK_HAD
};

/* Take the lock without waiting, where that can be tried. */
static inline enum lock_try own_locks_critical(void)
{
	if (!own_locks.critical)
		return LOCK_UNKNOWN;
	return own_locks.test(own_locks.critical) ? LOCK_HAD : LOCK_TAKEN;
}

static inline enum lock_try own_locks_named(void **word)
{
	if (!own_locks.named)
		return LOCK_UNKNOWN;
	return own_locks.test(word) ? LOCK_HAD : LOCK_TAKEN;
}
