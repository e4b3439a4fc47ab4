/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * err.h - a failure is a number to act on and one sentence to read.
 *
 * Threads   Each thread has its own last reason.
 */
#pragma once

/*
 * Record the reason, without a full stop, and return err (a negative errno),
 * so that it reads as one statement: return fail(-EINVAL, "no such %s", x);
 */
int fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* -ENOMEM, with "out of memory while", and what is being done. */
int no_memory(void);

/*
 * What is being done from here on, by the whole process ("reading profiles"):
 * no_memory() says it.  Static text.
 */
void fail_step(const char *what);

/* The last reason recorded by this thread; never NULL, owned by err.c. */
const char *fail_reason(void);
