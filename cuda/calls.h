/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls.h - the program's calls of CUDA, as CUPTI calls back for them.
 *
 * A call of the driver inside one of the runtime is part of it.
 */
#ifndef CUDA_CALLS_H
#define CUDA_CALLS_H

#include "collect/gpu/gpu.h"
#include "cuda/cupti.h"

/* On the thread that calls. */
void calls_callback(void *unused, CUpti_CallbackDomain domain,
		    CUpti_CallbackId id, const void *data);

/*
 * The program's calls that are wished are called back for; `nodes`: the nodes
 * of graphs as they are made, too.  A CUPTI result.
 */
CUptiResult calls_begin(CUpti_SubscriberHandle subscriber, enum gpu_wish wish,
			bool nodes);

/*
 * From now on no call is counted.  Late: of those that free memory memory.c
 * still hears.
 */
void calls_end(void);
void calls_late(bool late);

#endif
