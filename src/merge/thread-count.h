/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-count.h - how many threads a process had, but those of MPI itself. */
#ifndef MERGE_THREAD_COUNT_H
#define MERGE_THREAD_COUNT_H

#include <stdint.h>

#include "profile/profile.h"

/*
 * MPI's libraries start threads for themselves.  Threads in which nothing but
 * these libraries was seen do not count; nor, in a process with MPI, those
 * without a sample, but for the thread of MPI_Init.  When there is no memory,
 * all do.
 */
uint32_t thread_count(const struct profile *p);

#endif
