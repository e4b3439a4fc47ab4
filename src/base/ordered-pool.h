/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ordered-pool.h - a thread pool that keeps order.  Items are made in parallel,
 * taken one at a time in the order of their index, and finished in parallel.
 * So the result does not depend on the number of threads.
 *
 * Threads   make() and finish() run in any thread; take() in any, but in one at
 *           a time.
 * Memory    For each thread there are at most two items that are being made or
 *           wait, and one that is being finished.
 * Failure   The failure of the lowest index is returned with its reason.  Items
 *           after it are not taken; nor is any item once finish() has failed.
 */
#pragma once

#include <stddef.h>

struct ordered_work {
	size_t count;
	/* Makes item i.  take() gets it when this returns 0.  Each of the
	   three returns 0, or -errno with a reason. */
	int (*make)(void *of, size_t i, void **item);
	int (*take)(void *of, size_t i, void *item);
	int (*finish)(void *of, size_t i, void *item); /* or NULL */
	/* Frees an item that is not taken.  With finish(), frees every item
	   after it.  NULL: nothing has to be freed. */
	void (*drop)(void *item);
	void *of;
};

/* 0, or -errno with a reason; threads 0: as many as this process has cores. */
int ordered_pool_run(const struct ordered_work *work, unsigned int threads);
