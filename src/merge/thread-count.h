/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-count.h - how many threads a process had, but those of MPI itself. */
#ifndef MERGE_THREAD_COUNT_H
#define MERGE_THREAD_COUNT_H

#include <stdint.h>

#include "profile/profile.h"

/*
 * Threads that MPI's libraries start for themselves are in a profile when they
 * happened to be sampled: those in which nothing but these libraries was seen
 * do not count.  When there is no memory, all do.
 */
uint32_t thread_count(const struct profile *p);

#endif
