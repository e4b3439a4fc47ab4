/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flush.h - a thread that asks CUPTI for what is complete: by itself it hands
 * out full buffers alone, and a process may be killed long before one is.
 *
 * Threads   One of its own, unmeasured, which takes none of the program's
 *           signals; flush_begin() and flush_end() are called once each.
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
 * All there is, of unfinished work too.  False: it was not to be had in a few
 * seconds; the thread is left where it hangs.
 */
bool flush_end(void);

#endif
