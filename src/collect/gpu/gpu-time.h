/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-time.h - when devices and streams worked: unions of time, not sums, and
 * the gaps between.  Exact but for pieces that come out of order (gpu-order.h):
 * these are counted, with the time that may be missing of them.
 *
 * Threads   The caller holds the lock of gpu.c.
 */
#pragma once

#include "collect/gpu/gpu-order.h"
#include "live/arena.h"

struct gpu_device {
	uint32_t id;         /* as the process counts them */
	const char *name;    /* NULL: not known */
	const uint8_t *uuid; /* 16 bytes */
	int32_t instance;    /* of MIG; -1: none */
};

void gpu_time_add(const struct live_piece *piece);

/* Some pieces were added; `all`: no more will come. */
void gpu_time_settle(bool all);

/* What a device is called. */
void gpu_time_device(const struct gpu_device *device);

/* Another live profile, or none. */
void gpu_time_reset(struct arena *arena);
