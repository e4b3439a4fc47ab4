/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-starter.h - threads that a library works on while the main thread
 * waits for them in a function of Python, as PyTorch's backward pass does.
 * Their own stack has nothing of the program.
 *
 * A thread is said to work for a function of Python if that function called
 * what started the thread, and the main thread is in a call from the same
 * function now.  As long as this is so, the root of the thread's own tree is
 * the main thread's path, below a reference to its root (LIVE_NODE_BELOW).
 *
 * Threads   The main thread's frames are read while it may go on: a path that
 *           is half changed is refused (python-frames.h).
 * Signals   thread_starter_follow() may run in a handler.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "live/layout.h"

struct python_frames;
struct thread;

struct thread_starter {
	struct thread *main; /* the main thread; NULL: another started it */
	uintptr_t id;        /* of the main thread, as Python has it */
	uintptr_t code;      /* of the function of Python */
	uintptr_t frame;     /* which the main thread was in last … */
	uint64_t counter;    /* … and when that was */
	uint64_t main_cpu;   /* CPU time of the main thread when it was read */
	uint32_t missed;     /* how often it was in another function */
	live_ref outside;    /* the root of the thread's own tree … */
	live_ref root;       /* … and the one that was set last */
	/* What the last path found is for, and where it ends. */
	live_ref above, node;
	struct python_frames *frames; /* of the main thread; NULL: not yet */
};

/* What the calling thread is about to start: by whom. */
void thread_starter_note(struct thread_starter *to);

/* By the thread that was started. */
void thread_starter_take(const struct thread_starter *s);

/* Of a thread that the main thread started: its root becomes that of now. */
SIGSAFE void thread_starter_follow(struct thread *t);
