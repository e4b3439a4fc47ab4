/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handles.h - which slot belongs to an MPI handle: a bounded hash table that
 * is read without a lock.  What is known about the handle is kept by the
 * caller, in an array with one element for each slot.
 *
 * Threads   handles_find() for one handle may run beside anything but the
 *           same handle's removal: a program that uses a handle while it
 *           frees it is wrong anyway.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct handles { /* all zero but for the first three: empty */
	_Atomic uintptr_t *keys;
	uint32_t bits; /* there are 1 << bits slots */
	pthread_mutex_t lock;
	uint32_t used;
};

/* Of any MPI's handle, which is a pointer or a number. */
#define handle_key(handle) ((uintptr_t)(handle))

#define HANDLES_FREE    ((uintptr_t)0)
#define HANDLES_REMOVED ((uintptr_t)1)

static inline uint32_t handles_hash(uint32_t bits, uintptr_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/* The slot of a handle, or -1; for those who know where the table is. */
static inline int handles_find_in(const _Atomic uintptr_t *keys, uint32_t bits,
				  uintptr_t handle)
{
	uint32_t mask = (1u << bits) - 1, at = handles_hash(bits, handle);

	for (uint32_t n = 0; n <= mask; n++, at = (at + 1) & mask) {
		uintptr_t key =
			atomic_load_explicit(&keys[at], memory_order_acquire);

		if (key == handle)
			return (int)at;
		if (key == HANDLES_FREE)
			break;
	}
	return -1;
}

static inline int handles_find(const struct handles *h, uintptr_t handle)
{
	return handles_find_in(h->keys, h->bits, handle);
}

/*
 * A slot for a new handle, in three steps: handles_reserve() locks the table
 * and returns the slot, or -1 when the table is full (then it is not locked);
 * the caller fills what belongs to the slot; handles_publish() unlocks.  For a
 * handle that is there its slot is returned, locked as well.
 */
int handles_reserve(struct handles *h, uintptr_t handle);
void handles_publish(struct handles *h, int slot, uintptr_t handle);

/* Nothing happens when the handle is not there. */
void handles_remove(struct handles *h, uintptr_t handle);

/* In a forked child: another thread, that is not here, may have locked it. */
void handles_forked(struct handles *h);
