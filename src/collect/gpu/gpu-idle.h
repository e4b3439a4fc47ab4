/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-idle.h - why GPUs had nothing to do: what the thread did meanwhile that
 * then began the next piece of work.
 *
 * Between two pieces of work the CPU is to blame when the work had not been
 * called for, or was started at once when it was: then the gap is what the
 * thread did in as much time before its call (history.h).  Where work waited
 * although it had been called for, it is the device's own ("[queued]").
 *
 * Threads   The caller holds the lock of gpu.c.
 */
#pragma once

#include "live/layout.h"

struct gpu_gap {
	uint64_t from, to; /* CLOCK_MONOTONIC; the next work began at `to` */
	uint64_t begun;    /* when that was called for; 0: not known */
	live_ref node;     /* by that call; 0: not known, see why */
	uint32_t thread;
	uint32_t why; /* enum loss */
};

/* A delay from a call to its start: the least one is the launch's own. */
void gpu_idle_delay(uint64_t ns);

void gpu_idle_gap(const struct gpu_gap *gap);

/* Gaps to come are later than that: the histories are read again for them. */
void gpu_idle_settled(uint64_t ns);

/* What was paused until now is nobody's idleness. */
void gpu_idle_resumed(uint64_t now);

/* Another live profile. */
void gpu_idle_reset(void);
