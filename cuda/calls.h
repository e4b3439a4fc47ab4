/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls.h - CUPTI's callbacks for the program's CUDA calls.
 *
 * A call of the driver inside a call of the runtime counts as part of it.
 */
#pragma once

#include "collect/gpu/gpu.h"
#include "cuda/cupti.h"

/* CUPTI calls this on the thread that makes the CUDA call. */
void calls_callback(void *unused, CUpti_CallbackDomain domain,
		    CUpti_CallbackId id, const void *data);

/*
 * Enable callbacks for the calls that `wish` names, and for each node of a
 * graph when it is made.  Returns a CUPTI result.
 */
CUptiResult calls_begin(CUpti_SubscriberHandle subscriber, enum gpu_wish wish);

/*
 * Count no call from now on.  calls_late(true): pass calls that free memory to
 * memory.c all the same.
 */
void calls_end(void);
void calls_late(bool late);
