/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ordered-pool.h - many things made at the same time, taken one at a time, in
 * their order, and finished at the same time: so what comes out does not depend
 * on the number of threads.
 *
 * Threads   make() and finish() run in several; take() in one at a time, which
 * may be any.
 * Memory    Two things for each thread wait or are being made, and one is being
 * finished.
 * Failure   The first failure, by order of what was being made, is returned
 * with its reason; things behind it are not taken.  When finish() fails, too,
 * nothing more is taken.
 */
#ifndef BASE_ORDERED_POOL_H
#define BASE_ORDERED_POOL_H

#include <stddef.h>

struct ordered_work {
	size_t count;
	/* *item is for take(), which is called when this returns 0.  Each
	   returns 0, or -errno with a reason. */
	int (*make)(void *of, size_t i, void **item);
	int (*take)(void *of, size_t i, void *item);
	int (*finish)(void *of, size_t i, void *item); /* or NULL */
	/* What will not be taken and, where there is finish(), all: after it.
	   NULL: nothing has to be done. */
	void (*drop)(void *item);
	void *of;
};

/* 0, or -errno with a reason; threads 0: as many as this process has cores. */
int ordered_pool_run(const struct ordered_work *work, unsigned int threads);

#endif
