/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * own-locks.h - locks of libgomp's own, asked for without waiting: a critical
 * section that is free is not stamped, nor held for longer by a stamp.
 *
 * Threads   Any, after the adapter was loaded.
 */
#ifndef OPENMP_OWN_LOCKS_H
#define OPENMP_OWN_LOCKS_H

#include <stdbool.h>

#include "base/hidden.h"

/*
 * Of the libgomp that the program was started with: what locks that are not
 * omp_lock_t are of its kind.  It is found out by trying, as the adapter is
 * loaded.
 */
struct own_locks {
	int (*test)(void *lock); /* omp_test_lock() */
	void *critical;          /* of sections without a name; NULL: unknown */
	bool named; /* the word of a section with a name is such a lock */
};
extern HIDDEN struct own_locks own_locks;

void own_locks_find(void);

enum lock_try {
	LOCK_UNKNOWN, /* it was not tried */
	LOCK_TAKEN,   /* by somebody else */
	LOCK_HAD
};

/* Taken, without waiting, where that can be tried. */
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

#endif
