/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hardware-counters.h - what the hardware of GPUs counts in intervals of some
 * 50 us, by CUPTI's PM sampling, if the user asks for it (--gpu-counters).
 *
 * No kernel is run again or alone.  What to count is chosen by the chip's own
 * list: as much as fits into one pass (counter-names.def).  Reading an interval
 * takes the host some 80 us of CPU time, so they are read in bursts, with
 * pauses that leave COUNTERS_SHARE of a core to it, beyond COUNTERS_FREE_NS.
 *
 * Threads   A thread of its own does all; contexts are told of on any thread.
 * Failure   What is not read is counted as a loss, with the reason.
 */
#pragma once

#include "cuda/cupti.h"

enum {
	COUNTERS_BURST_MS = 20,
	COUNTERS_SHARE = 10,           /* per cent of a core */
	COUNTERS_FREE_NS = 1000000000, /* of CPU time, before that holds */
};

/* Call this before contexts are made. */
void hardware_counters_begin(CUpti_SubscriberHandle subscriber);

/* A callback of the resource domain: contexts begin. */
void hardware_counters_resource(CUpti_CallbackId id,
				const CUpti_ResourceData *data);

/* Read what is left, and wait for that, at most some seconds. */
void hardware_counters_end(void);

/* In a forked child, which has no GPU. */
void hardware_counters_forked(void);
