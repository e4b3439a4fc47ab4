/* SPDX-License-Identifier: BSD-3-Clause */
/* moments.c - a list that is thinned while it grows. */
#include "live/moments.h"

enum {
	MOVES = 8 /* for each moment that comes: seven eighths by the last one
		   */
};

static const uint32_t size = sizeof(struct live_moment);

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
	m->at = (old + 1) / 2 + (live->moments_held - old);
	__atomic_store_n(&live->moments_held, m->at, __ATOMIC_RELEASE);
	__atomic_store_n(&live->moments_moved, 0, __ATOMIC_RELEASE);
}

SIGSAFE static void move_one(struct moments *m, struct arena *arena,
			     struct live_thread *live)
{
	uint32_t i = live->moments_moved;
	live_ref from = chunk_seek(arena, &m->from, &live->moments, size), to;

	if (i >= live->moments_old || i % 2 == 0) {
		to = chunk_seek(arena, &m->to, &live->moments, size);
		*(struct live_moment *)arena_at(arena, to) =
			*(struct live_moment *)arena_at(arena, from);
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
	if (m->at < most)
		return true;
	if (keep != MOMENTS_LAST)
		return false;
	m->fill = (struct chunk_cursor){ 0 };
	m->at = 0;
	return true;
}

SIGSAFE void moments_add(struct moments *m, struct arena *arena,
			 struct live_thread *live, uint32_t most,
			 enum moments_keep keep,
			 const struct live_moment *moment)
{
	live_ref ref;

	if (!live->every)
		live->every = 1;
	if (++m->skipped < live->every)
		return;
	m->skipped = 0;
	if (!make_room(m, arena, live, most, keep))
		return;
	ref = chunk_seek(arena, &m->fill, &live->moments, size);
	if (!ref)
		return;
	*(struct live_moment *)arena_at(arena, ref) = *moment;
	chunk_wrote(arena, &m->fill);
	if (++m->at > live->moments_held)
		__atomic_store_n(&live->moments_held, m->at, __ATOMIC_RELEASE);
}
