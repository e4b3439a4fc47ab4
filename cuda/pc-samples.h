/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pc-samples.h - samples of what warps execute, and why they wait, by CUPTI's
 * PC Sampling API, if the user asks for them.
 *
 * Mode "continuous" is used: kernels run as without us, and a sample has the
 * function and the instruction, but no launch.  The other mode would run one
 * kernel at a time.
 *
 * Sampling never stops, because CUPTI cannot stop it while another thread
 * launches.  Samples in a pause, from 1 s before it to 1.25 s after it, are
 * dropped (LOSS_GPU_PC_PAUSED).
 *
 * Threads   One thread at a time uses a context: the flushing thread, which
 *           comes back later if the context is in use, or the thread that makes
 *           or destroys the context, which waits up to a second.  No lock is
 *           held while CUPTI is called.
 */
#pragma once

#include <stdbool.h>

#include "cuda/cupti.h"

/* Call this before contexts are made. */
void pc_samples_begin(CUpti_SubscriberHandle subscriber);

/* Whether samples are asked for and available. */
bool pc_samples_wanted(void);

/* A callback of the resource domain, on the thread that caused it. */
void pc_samples_resource(CUpti_CallbackId id, const CUpti_ResourceData *data);

/* On the flushing thread: take the samples so far; take the last ones. */
void pc_samples_take(void);
void pc_samples_end(void);

/* In a forked child, which has no GPU. */
void pc_samples_forked(void);
