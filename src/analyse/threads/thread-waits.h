/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-waits.h - what the threads of a process did, and how long they waited
 * for each other: see also lock-waits.h and omp-regions.h.
 */
#pragma once

#include "analyse/base/report.h"
#include "analyse/paths/paths.h"
#include "run/run.h"

/* thread-kinds.c: threads by their names and where they began. */

/* A row for each kind, over all processes, at most so many. 0, or -ENOMEM. */
int thread_kinds_put(struct report *report, const struct paths *paths,
		     size_t limit);

/* thread-strips.c: what each thread of a process did with its time. */

/* Of a thread's elapsed time, ns.  Their sum is all of it. */
enum thread_part {
	THREAD_WORK, /* in the code of parallel regions */
	THREAD_ELSE, /* outside of them, and not known to wait */
	THREAD_END,
	THREAD_BARRIER,
	THREAD_LOCK,
	THREAD_GIL,
	THREAD_IDLE,
	THREAD_PARTS
};

/* Names for programs, and for readers. */
extern const struct thread_part_name {
	const char *id, *title;
} thread_part_names[THREAD_PARTS];

void thread_parts(uint64_t to[THREAD_PARTS], const struct run_thread *t);

/* A row for each process, at most so many; and for programs all threads. */
int thread_strips_put(struct report *report, const struct run *run,
		      size_t limit);

/*
 * gil.c: the lock that lets one thread at a time run Python: how long it was
 * held, and how long threads waited for it.
 */

/*
 * What it cost, when that is worth a sentence; with a clock of CPU time, which
 * sees no waiting, that several threads took turns.  0, or -ENOMEM.
 */
int gil_say(struct report *report, const struct paths *paths);

/* A row for each process that ran Python. */
void gil_table(struct report *report, const struct run *run);

/*
 * openmp-lost.c: what a process lost by threads that waited in the OpenMP
 * runtime.
 */

/*
 * Of the `useful` seconds that a process's first thread was outside MPI, of
 * `elapsed` ones: how much less it is on average over its OpenMP threads, as
 * many as their CPU time would fill.
 */
double openmp_lost(const struct run_rank *rank, double elapsed, double useful);

/*
 * Where most of the waiting was, in the runtime and in others' loops around
 * sched_yield(), when it is worth a sentence; 0 or -ENOMEM.
 */
int openmp_say(struct report *report, const struct paths *paths);
