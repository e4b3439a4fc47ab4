/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io-times.h - the bytes that each thread reads and writes, over time: struct
 * live_io_times.
 *
 * Threads   Each has bins of its own; without room it has none.
 * Signals   Not to be called from our handler.  A call in a handler of the
 *           program, while bins are being joined, is in none.
 */
#pragma once

#include <stdint.h>

#include "live/layout.h"

struct io_piece;
struct thread;

/* Of each thread. */
struct io_times {
	struct live_io_times *at; /* NULL: there was no room */
	uint32_t generation;      /* of the profile, and one more; 0: none */
};

/* Bytes that were moved, in the time that this took. */
void io_times_count(struct thread *t, const struct io_piece *p);
