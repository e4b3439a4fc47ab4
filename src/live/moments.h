/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * moments.h - a thread's moments (live/layout.h) in bounded memory: the writer,
 * and which of them count.
 *
 * Method   When seven eighths of the room are full, every other moment goes,
 *          and from then on one is kept of twice as many samples.  This is
 *          done a few at a time, with each moment that comes, and is over
 *          before the room is full: no addition takes long, however large the
 *          room.  Or the list is a ring, or ends when it is full.
 * Crashes  live->moments_moved says up to where that is done, in one store, so
 *          a profile can be read at any time.
 * Threads  One writer, the thread.
 * Signals  moments_add() may run in a handler; not re-entrant: the caller
 *          guards.
 */
#pragma once

#include "live/chunk.h"
#include "live/layout.h"

enum moments_keep {
	MOMENTS_THIN,
	MOMENTS_FIRST,
	MOMENTS_LAST
};

struct moments { /* all zero: none yet */
	struct chunk_cursor fill, from, to;
	uint32_t skipped; /* samples since the last moment */
};

/*
 * A sample, of which `most` are kept; not where memory is used up.  All are of
 * one size: that of a struct live_moment, or of a struct live_traced.
 */
SIGSAFE void moments_add(struct moments *list, struct arena *arena,
			 struct live_thread *live, uint32_t most,
			 enum moments_keep keep, const void *moment,
			 uint32_t size);

/* The number of the oldest record: they go round, and on from 0. */
static inline uint32_t moments_first(const struct live_thread *live)
{
	return live->moments_at < live->moments_held ? live->moments_at : 0;
}

/* Does record number i of the list count? */
static inline bool moments_has(const struct live_thread *live, uint32_t i)
{
	uint32_t moved = live->moments_moved, old = live->moments_old;
	uint32_t halved = moved < old ? moved : old;
	uint32_t kept = (halved + 1) / 2 + (moved - halved);

	if (i >= live->moments_held)
		return false;
	if (!moved || i < kept)
		return true;
	return i >= moved && (i >= old || i % 2 == 0);
}
