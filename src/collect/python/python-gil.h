/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * python-gil.h - what a thread has to do with the GIL, the lock that lets one
 * thread at a time run Python: the interpreter notes who has taken it, and who
 * waits for it sleeps in a futex that is a part of it.
 *
 * Threads   The calling thread's own.
 * Signals   All may run in a handler.
 */
#pragma once

#include <ucontext.h>

#include "collect/python/python-frames.h"

enum python_gil {
	PYTHON_GIL_NONE, /* it is not known, or there is none */
	PYTHON_GIL_HELD,
	PYTHON_GIL_WAITED,
	PYTHON_GIL_WITHOUT, /* in C, or asleep, and others may run */
};

/* At that moment, of which these are the registers. */
SIGSAFE enum python_gil python_gil_now(const struct python_frames *p,
				       struct safe_read *reader,
				       const mcontext_t *registers);

/* The one of an interpreter, by its address; 0: it cannot be read. */
SIGSAFE uintptr_t python_gil_find(struct safe_read *reader,
				  uintptr_t interpreter);

/* Is it a mutex or a condition of the GIL's own? */
SIGSAFE bool python_gil_has(const struct python_frames *p, const void *lock);
