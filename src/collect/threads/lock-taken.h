/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock-taken.h - the lock that a thread took last, and where: a function whose
 * last call is the unlock has no frame by then.
 *
 * Threads   A record of the calling thread's.
 */
#pragma once

#include "arch/frame.h"
#include "collect/threads/lock-wait.h"

struct lock_taken {
	const void *lock;
	uintptr_t pc;
	uintptr_t sp;
};

/* frame: the place of the saved frame pointer of the adapter's function. */
static inline void lock_note_taken(struct lock_taken *to, const void *lock,
				   const uintptr_t *frame)
{
	to->lock = lock;
	to->pc = frame_pc(frame);
	to->sp = frame_sp(frame);
}

/* The parameter `taken` of copse_lock_blame(). */
static inline uintptr_t lock_taken_inside(const struct lock_taken *last,
					  const void *lock,
					  const uintptr_t *frame)
{
	return last->lock == lock && last->sp < frame_sp(frame) ? last->pc : 0;
}
