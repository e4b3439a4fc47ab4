/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flush.h - a thread that asks CUPTI for complete records.  By itself, CUPTI
 * delivers full buffers only, and a process may be killed long before one is
 * full.
 *
 * Threads   A thread of its own, which is not measured and takes no signals of
 *           the program.  Call flush_begin() once, flush_end() on any thread.
 */
#pragma once

#include <stdbool.h>

/* 0, or -errno: without the thread, records come in full buffers. */
int flush_begin(void);

/* A thread of ours, detached, as that one is: 0 or an error number. */
int flush_start_thread(void *(*run)(void *));

/* Begin to ask: the driver is up. */
void flush_wanted(void);

/* Records have come. */
void flush_heard(void);

/* Records come that are not complete: their work goes on. */
bool flush_is_forced(void);

/*
 * Let the thread call `last` and end, and wait for it.  Later callers wait,
 * too, but only the first `last` is called.  False: it took more than
 * `seconds`; the thread is left where it hangs.
 */
bool flush_end(void (*last)(void), int seconds);

/* Threads of ours call this before they ask CUPTI while the program runs. */
void flush_prepare(void);
