/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-times.h - what each thread of a process did with its time: rows of
 * run->threads.
 *
 * Regions   A thread's share of a region's elapsed time, which the master has
 *           counted for all members, is that of each thread that took part.
 *           What of it is neither work nor waiting within was waited at the
 *           end.  What is in an inner region is in the outer one's work, too,
 *           and counts once.
 */
#pragma once

#include "profile/profile.h"
#include "run/run.h"

struct thread_times {
	struct run_thread *rows; /* without rank and name */
	size_t count;            /* 0: nothing is known of such waits */
};

/* Of a profile that was checked; by any thread.  0, or -ENOMEM. */
int thread_times_find(struct thread_times *to, const struct profile *p);
void thread_times_fini(struct thread_times *times);

/* To the run, of run->ranks[rank].  0, or -ENOMEM with a reason. */
int thread_times_add(struct run *run, const struct thread_times *times,
		     const struct profile *p, uint32_t rank);

/* By the order of its ranks: order[i] is the new index of rank i. */
void thread_times_sort(struct run_threads *threads, const uint32_t *order);
