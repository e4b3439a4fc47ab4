/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pc-samples.h - samples of what warps execute in kernels and what they wait
 * for, by CUPTI's PC Sampling API, where they are wished.
 *
 * Kernels run as they do (its mode "continuous"): a sample has the function and
 * the instruction, and no launch.  The other mode runs one kernel at a time.
 *
 * They are sampled all the time: CUPTI cannot stop it beside a launch.  What
 * was sampled in a pause, up to 1 s before it or 1.25 s behind it, is left out
 * (LOSS_GPU_PC_PAUSED).
 *
 * Threads   A context has one user at a time: the thread that flushes, which
 *           comes back later when there is another, or the one that makes or
 *           destroys the context, which waits for it up to a second.  No lock
 *           is held while CUPTI is called.
 */
#ifndef CUDA_PC_SAMPLES_H
#define CUDA_PC_SAMPLES_H

#include <stdbool.h>

#include "cuda/cupti.h"

/* Before contexts are made. */
void pc_samples_begin(CUpti_SubscriberHandle subscriber);

/* Some are wished, and may be had. */
bool pc_samples_wanted(void);

/* A callback of the domain of resources, on the thread that caused it. */
void pc_samples_resource(CUpti_CallbackId id, const CUpti_ResourceData *data);

/* On the thread that flushes: what there is; all, and there will be no more. */
void pc_samples_take(void);
void pc_samples_end(void);

/* In a forked child, which has no GPU. */
void pc_samples_forked(void);

#endif
