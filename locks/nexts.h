/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nexts.h - the functions that the program would call without the adapter.
 *
 * Those of mutexes and rwlocks are known before any code runs: while the loader
 * looks up others, the program's allocator may take such a lock.
 *
 * Threads   Any.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <semaphore.h>
#include <time.h>

#include "base/hidden.h"

/* Functions that only the adapter itself calls. */
#define NEXTS_ASKED(DO)                                                        \
	DO(pthread_mutex_trylock)                                              \
	DO(pthread_rwlock_tryrdlock)                                           \
	DO(pthread_rwlock_trywrlock)                                           \
	DO(pthread_spin_trylock)                                               \
	DO(sem_trywait)

enum next_row {
#define ROW(name)            ROW_##name,
#define WAIT(name, ...)      ROW(name)
#define CONDITION(name, ...) ROW(name)
#define RELEASE(name, ...)   ROW(name)
#include "locks/interposed.def"
	NEXTS_ASKED(ROW)
#undef ROW
	NEXT_ROWS
};

extern HIDDEN void *nexts[NEXT_ROWS];
void *nexts_find(enum next_row row);

#define NEXT(name)                                                             \
	((__typeof__(&(name)))(nexts[ROW_##name] ? nexts[ROW_##name]           \
						 : nexts_find(ROW_##name)))
