/* SPDX-License-Identifier: BSD-3-Clause */
/* moments.c - a list that is thinned while it grows. */
#include "live/moments.h"

enum {
	MOVES = 8 /* for each moment that comes: seven eighths by the last one
		   */
};

/* Word by word: one of a single word is there, or not. */
SIGSAFE static void put_words(void *to, const void *from, uint32_t size)
{
	for (uint32_t i = 0; i < size / sizeof(uint64_t); i++)
		((volatile uint64_t *)to)[i] = ((const uint64_t *)from)[i];
}

/* Every other one of those that are there is to go. */
SIGSAFE static void begin_to_thin(struct moments *m, struct live_thread *live)
{
	m->from = (struct chunk_cursor){ live->moments, 1 };
	m->to = m->from;
	live->moments_old = live->moments_held;
	__atomic_store_n(&live->moments_moved, 1, __ATOMIC_RELEASE);
	live->every *= 2;
}

/* All are moved: what is behind the last one is free. */
SIGSAFE static void end_to_thin(struct moments *m, struct live_thread *live)
{
	uint32_t old = live->moments_old;

	m->fill = m->to;
	old = (old + 1) / 2 + (live->moments_held - old);
	__atomic_store_n(&live->moments_held, old, __ATOMIC_RELEASE);
	__atomic_store_n(&live->moments_moved, 0, __ATOMIC_RELEASE);
	live->moments_at = old;
}

SIGSAFE static void move_one(struct moments *m, struct arena *arena,
			     struct live_thread *live)
{
	uint32_t i = live->moments_moved, size = live->moment_size;
	live_ref from = chunk_seek(arena, &m->from, &live->moments, size), to;

	if (i >= live->moments_old || i % 2 == 0) {
		to = chunk_seek(arena, &m->to, &live->moments, size);
		put_words(arena_at(arena, to), arena_at(arena, from), size);
		m->to.at++;
	}
	m->from.at++;
	__atomic_store_n(&live->moments_moved, i + 1, __ATOMIC_RELEASE);
}

SIGSAFE static void thin_some(struct moments *m, struct arena *arena,
			      struct live_thread *live)
{
	for (int i = 0; i < MOVES; i++) {
		if (live->moments_moved == live->moments_held) {
			end_to_thin(m, live);
			return;
		}
		move_one(m, arena, live);
	}
}

/* false: there is none. */
SIGSAFE static bool make_room(struct moments *m, struct arena *arena,
			      struct live_thread *live, uint32_t most,
			      enum moments_keep keep)
{
	if (live->moments_moved)
		thin_some(m, arena, live);
	else if (keep == MOMENTS_THIN &&
		 live->moments_held >= most - most / MOVES && most > MOVES)
		begin_to_thin(m, live);
	if (live->moments_at < most)
		return true;
	if (keep != MOMENTS_LAST)
		return false;
	m->fill = (struct chunk_cursor){ 0 };
	live->moments_at = 0;
	return true;
}

SIGSAFE void moments_add(struct moments *m, struct arena *arena,
			 struct live_thread *live, uint32_t most,
			 enum moments_keep keep, const void *moment,
			 uint32_t size)
{
	live_ref ref;

	if (!live->every) {
		live->every = 1;
		live->moment_size = size;
	}
	if (++m->skipped < live->every)
		return;
	m->skipped = 0;
	if (!make_room(m, arena, live, most, keep))
		return;
	ref = chunk_seek(arena, &m->fill, &live->moments, size);
	if (!ref)
		return;
	put_words(arena_at(arena, ref), moment, size);
	chunk_wrote(arena, &m->fill);
	if (++live->moments_at > live->moments_held)
		__atomic_store_n(&live->moments_held, live->moments_at,
				 __ATOMIC_RELEASE);
}
