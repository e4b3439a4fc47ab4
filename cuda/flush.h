/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flush.h - a thread that asks CUPTI for what is complete: by itself it hands
 * out full buffers alone, and a process may be killed long before one is.
 *
 * Threads   One of its own, unmeasured, which takes none of the program's
 *           signals; flush_begin() is called once, flush_end() on any thread.
 */
#ifndef CUDA_FLUSH_H
#define CUDA_FLUSH_H

#include <stdbool.h>

/* 0, or an errno: there is no thread, and records come when buffers are full.
 */
int flush_begin(void);

/* There is something to ask for: the driver is up. */
void flush_wanted(void);

/*
 * The thread does this and ends.  It is the first one that counts: who comes
 * later waits as well.  False: it was not done in so many seconds; the thread is
 * left where it hangs.
 */
bool flush_end(void (*last)(void), int seconds);

/* On the thread: before CUPTI is asked while the program runs. */
void flush_prepare(void);

#endif
