/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-order.h - pieces of work in the order of their start.  Records of
 * different streams and buffers do not come so: a window of a fixed size puts
 * them in order.  A piece that comes later than GPU_WINDOW others that began
 * after it, or after 1.2 s of records, is out of order.
 *
 * Threads   The caller holds the lock of gpu.c.
 */
#pragma once

#include <stdbool.h>

#include "live/arena.h"

enum {
	GPU_WINDOW = 8192, /* there is room for twice as many */
};

/*
 * take() gets the pieces of the past in their order, and NULL behind them; all
 * when no more will come.  False: no memory, nothing is taken.
 */
typedef void gpu_take(const struct live_piece *piece);
bool gpu_order_add(const struct live_piece *piece, gpu_take *take);
void gpu_order_settle(bool all, gpu_take *take);

/*
 * Another live profile, which has the pieces that are not taken yet; NULL:
 * none, they are in memory.
 */
void gpu_order_reset(struct arena *arena);
