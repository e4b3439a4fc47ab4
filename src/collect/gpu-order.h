/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-order.h - pieces of work in the order of their start.  Records of
 * different streams and buffers do not come so: a window of a fixed size puts
 * them in order.  A piece that comes later than GPU_WINDOW others that began
 * after it, or after 1.2 s of records, is out of order.
 *
 * Threads   The caller holds the lock of gpu.c.
 */
#ifndef COLLECT_GPU_ORDER_H
#define COLLECT_GPU_ORDER_H

#include <stdbool.h>

#include "live/layout.h"

enum {
	GPU_WINDOW = 16384, /* of 56 bytes; there is room for twice as many */
};

struct gpu_piece {
	uint64_t start, end, begun; /* CLOCK_MONOTONIC; begun: of its call */
	live_ref node;              /* of that; 0: not known, see why */
	uint32_t thread;
	uint32_t device, context, stream;
	uint16_t why; /* enum loss */
	bool kernel;  /* or a graph; else a copy or a memset */
};

/*
 * take() gets the pieces of the past in their order; all of them when no more
 * will come.  False: no memory, nothing is taken.
 */
typedef void gpu_take(const struct gpu_piece *piece);
bool gpu_order_add(const struct gpu_piece *piece, gpu_take *take);
void gpu_order_settle(bool all, gpu_take *take);

void gpu_order_reset(void);

#endif
