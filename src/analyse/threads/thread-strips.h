/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-strips.h - what each thread of a process did with its time. */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

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
