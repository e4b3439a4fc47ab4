/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena.h - the writer's side of a live profile: the file on tmpfs, and the
 * pieces of it that are handed out.
 *
 * Pieces are backed by memory before they are handed out: a page of a sparse
 * file that cannot be backed would be a SIGBUS in the measured program.
 *
 * Threads   Any thread may take pieces.
 * Signals   Everything here may run in a handler.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "base/sys.h"
#include "live/layout.h"

struct arena {
	char *base; /* of the mapping; NULL: not open */
	uint64_t capacity;
};

/* Create and map the file (it must not exist): 0 or -errno. */
SIGSAFE int arena_open(struct arena *arena, const char *path,
		       uint64_t capacity);

static inline void arena_close(struct arena *arena)
{
	if (arena->base)
		sys2(SYS_munmap, arena->base, arena->capacity);
	arena->base = NULL;
}

/* Gives back what the limits of now do not allow, and is not used. */
void arena_fit(struct arena *arena);

/*
 * What is not used cannot be read, nor taken, until it is shown, with what
 * arena_hide() said; then it is not locked, whatever was meanwhile.
 */
uint64_t arena_hide(struct arena *arena);
void arena_show(struct arena *arena, uint64_t capacity);

/* `size` zeroed bytes, or 0 when memory is used up.  Not for small things. */
SIGSAFE live_ref arena_pages(struct arena *arena, uint64_t size);

/*
 * `size` zeroed bytes for a small record that is never given back, or 0.  Any
 * number of threads may take from the same piece at a time.
 */
struct arena_small {
	live_ref at, end;
} __attribute__((aligned(8)));
SIGSAFE live_ref arena_small(struct arena *arena, struct arena_small *small,
			     uint64_t size);

static inline live_ref arena_ref(const struct arena *arena, const void *at)
{
	return (live_ref)(((uintptr_t)at - (uintptr_t)arena->base) / LIVE_UNIT);
}

static inline void *arena_at(const struct arena *arena, live_ref ref)
{
	return arena->base + (uint64_t)ref * LIVE_UNIT;
}
