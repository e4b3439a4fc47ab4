/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-awaited.h - for which work calls waited that return only when GPUs are
 * done: what ran meanwhile of what had been called for before.
 *
 * A call that waits for a stream returns when the work of that stream has
 * ended: of the streams that worked meanwhile it is the one whose work ended
 * last before the return.  One that waits for the device, or that copies, may
 * wait for all of them, but for work that goes on then.
 *
 * A launch or a copy that does not wait by its nature does where its queue, of
 * some thousand pieces, is full: work runs for as good as all of its time, and
 * has been queued for many times as long as it runs.  A copy also does where it
 * has ended when the call returns.  Of other calls beside work nothing is said:
 * a thread may be off its core.  Such calls at one node are one while they
 * begin within 1 ms.
 *
 * Memory is bounded: calls whose work is not known yet wait in a ring of
 * 16,384; more are counted (LOSS_GPU_AWAITED).
 *
 * Threads   gpu_awaited_call() may be called on any; for the others the caller
 *           holds the lock of gpu.c.
 */
#pragma once

#include <stdbool.h>

#include "collect/gpu/gpu.h"
#include "live/layout.h"

struct gpu_wait {
	uint64_t from, to; /* CLOCK_MONOTONIC */
	uint64_t inside;   /* of that; the rest is between calls */
	live_ref node;     /* of the call */
	uint32_t thread;
	enum gpu_waits for_what;
};

void gpu_awaited_call(const struct gpu_wait *wait);

/* What is known of a call goes there: so long for the work of a name (index).
 */
typedef void gpu_awaited_sum(live_ref node, uint32_t thread, uint32_t name,
			     uint64_t ns);

/* In the order of their starts. */
void gpu_awaited_work(const struct live_piece *piece, gpu_awaited_sum *sum);

/* No more work will come. */
void gpu_awaited_settle(gpu_awaited_sum *sum);

/* Another live profile. */
void gpu_awaited_reset(void);
