/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - a source of measurements, or what else has a state of its own in
 * the process or in each thread: one file that defines `source_NAME`, and its
 * word in SOURCES of local.mk.  Each hook may be NULL.  They are called in the
 * order of that list.
 *
 * What a file has of each thread is in struct thread.  A `static __thread`
 * variable, with the tls_model "initial-exec" since the signal handler may read
 * it, is for a few bytes that are read without a record: room for them is short
 * (doc/decisions/thread-storage.md).
 *
 * Threads   The hooks of threads are called with the thread's own record, by
 *           that thread, but for paused() and dropped().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hidden.h"
#include "base/settings.h"
#include "live/layout.h"

struct thread;

struct source {
	/* The process is measured; before its first thread is. */
	void (*start)(const struct settings *settings);
	/* In a forked child, measured or not.  Reset locks: another thread of
	   the parent may have held them. */
	void (*fork)(void);
	/* A pause of the whole process has ended, at that CLOCK_MONOTONIC. */
	void (*resumed)(uint64_t now);
	/* What the profile's header says of it; may be called in a handler. */
	void (*describe)(struct live_header *header);

	/* A record is taken for a thread, or for that of a forked child. */
	void (*reset)(struct thread *t);
	/* The thread is measured from here on, its clock is about to start.
	   All signals are blocked, and the list of threads is locked. */
	void (*thread_start)(struct thread *t);
	/* The thread is about to end; its clock still runs.  The list of
	   threads is locked. */
	void (*thread_last)(struct thread *t);
	/* The clock has stopped.  The list of threads is still locked. */
	void (*thread_stop)(struct thread *t);
	/* After that, without the lock: signals come again. */
	void (*thread_gone)(struct thread *t);
	/* A pause begins (true) or ends.  Any thread calls it for any other,
	   with the list of threads locked. */
	void (*paused)(struct thread *t, bool paused);
	/* In a forked child, of every record: its thread is not here, or has
	   no clock.  In a sandbox no system call may be made. */
	void (*dropped)(struct thread *t);
};

/* All of them, ended by NULL; none before the process is measured. */
extern HIDDEN const struct source *const *sources;

/* sources_tell(fork): to all that want to know. */
#define sources_tell(hook, ...)                                                \
	do {                                                                   \
		for (const struct source *const *s_ = sources; *s_; s_++)      \
			if ((*s_)->hook)                                       \
				(*s_)->hook(__VA_ARGS__);                      \
	} while (0)
