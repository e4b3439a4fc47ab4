/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-count.h - which threads a process had, but those of MPI itself. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/*
 * MPI's libraries start threads for themselves.  Threads in which nothing but
 * these libraries was seen do not count; nor, in a process with MPI, those
 * without a sample, but for the thread of MPI_Init.
 *
 * Of each thread, whether it counts; to be freed.  NULL: no memory.
 */
bool *threads_counted(const struct profile *p);

/* How many count.  When there is no memory, all do. */
uint32_t thread_count(const struct profile *p);

/* Of a module, by its path: threads begin there, or are MPI's own. */
bool thread_starts_in(const char *path);
