/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-tool.h - a tool of the program's own that takes CUPTI, as PyTorch's
 * profiler does: CUPTI serves one at a time, so the adapter that has it steps
 * back before the program's call goes on.
 *
 * Threads   Any.
 * Failure   What is not known to have stepped back in a few seconds is taken
 *           to: the program's call goes on.
 */
#pragma once

#include <stdbool.h>

/*
 * From now on the adapter has CUPTI, the library with this code, and `yield` is
 * called when the program wants it; it returns when the adapter has stepped
 * back, and may be called again, and by several threads at a time.  False: the
 * adapter stays, and the program is told so.  NULL: the adapter has it no more.
 */
void copse_gpu_holds(bool (*yield)(void), const void *cupti);

/* The program has called for CUPTI, so nobody else may have it. */
bool copse_gpu_wanted(void);

/* From now on nothing is known of GPUs. */
void copse_gpu_yielded(void);
